"""error: backward-of-many-numbers

backward() from a tensor of several numbers

A gradient is that of one number. `y` has two, and backward() cannot guess how much each of them counts.
"""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.backward()  # <-- here
# remedy: `y.mean().backward()`
