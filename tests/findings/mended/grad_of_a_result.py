"""retain_grad() asks for the gradient of a computed tensor to be kept."""

import autograd_lab as torch

x = torch.tensor(2.0, requires_grad=True)
h = x * x
h.retain_grad()
y = h + 1
y.backward()
print(x.grad, h.grad)
