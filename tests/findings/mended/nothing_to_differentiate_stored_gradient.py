"""grad() with create_graph=True returns a gradient that has a history, and leaves `x.grad` to the second pass."""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
(slope,) = torch.autograd.grad(y, x, create_graph=True)
penalty = (slope**2).sum()
penalty.backward()
