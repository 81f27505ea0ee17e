"""`y` is computed outside of no_grad()."""

import autograd_lab as torch

w = torch.tensor([0.1, 0.9, 0.3], requires_grad=True)
y = w * 2
loss = y.sum()
loss.backward()
