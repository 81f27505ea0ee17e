"""ones_like() has the shape of `y`."""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.backward(torch.ones_like(y))
