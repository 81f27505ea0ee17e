"""The loss is computed from `y` itself."""

import autograd_lab as torch

w = torch.tensor(2.0, requires_grad=True)
y = w * 3
loss = y + 1
loss.backward()
