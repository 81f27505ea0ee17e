"""A tensor that the product saved is overwritten before backward: the error names no line, the picture does."""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor([0.5, 0.5, 0.5], requires_grad=True)
h = x * 2
p = h * w
h.add_(1)
loss = p.sum()
loss.backward()
