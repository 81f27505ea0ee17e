"""A small number keeps the root away from 0."""

import autograd_lab as torch

x = torch.zeros(3, requires_grad=True)
length = torch.sqrt((x * x).sum() + 1e-12)
length.backward()
