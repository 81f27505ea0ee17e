"""warning: written-behind-autograd

A numpy array that shares memory with a tensor is written to

`x.numpy()` shares its memory with `x`. Autograd does not see what numpy writes, so `x` changes after it was saved.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
array = x.numpy()
y = (w * x).sum()
array += 1  # <-- here
y.backward()
