"""y = (a + b) * (b + 1): b is used twice, so two gradients meet at it."""

import autograd_lab as torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
d = b + 1
y = c * d
y.backward()
print(y, a.grad, b.grad)
