"""`y + 1` is a new tensor, and the saved one stays as it was."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w.exp()
y = y + 1
y.sum().backward()
