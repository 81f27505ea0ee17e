"""create_graph=True records the backward pass, which then can be differentiated itself."""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
(slope,) = torch.autograd.grad(y, x, create_graph=True)
slope.sum().backward()
