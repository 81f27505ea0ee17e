"""With allow_unused=True the gradient of `b` is None instead of an error."""

import autograd_lab as torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = a * a
torch.autograd.grad(y, [a, b], allow_unused=True)
