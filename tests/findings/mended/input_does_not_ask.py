"""`x` asks for a gradient before it is used."""

import autograd_lab as torch

w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0, requires_grad=True)
y = w * x
(slope,) = torch.autograd.grad(y, x)
