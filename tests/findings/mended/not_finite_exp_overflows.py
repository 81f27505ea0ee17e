"""Subtracting the largest number before exp() does not change the quotient, and nothing overflows. torch.softmax does
that by itself."""

import autograd_lab as torch

torch.manual_seed(0)
w = torch.tensor([100.0, 1.0], requires_grad=True)
e = (w - w.max()).exp()
loss = (e / e.sum()).sum()
loss.backward()
