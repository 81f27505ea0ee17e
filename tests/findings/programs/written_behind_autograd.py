"""warning: written-behind-autograd

x.data is written to between forward and backward

A write through `.data` does not raise the version of `x`, so backward() does not notice that what it saved has changed.
There is no error, and the gradient is wrong.
"""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
x.data.add_(1)  # <-- here
y.backward()
