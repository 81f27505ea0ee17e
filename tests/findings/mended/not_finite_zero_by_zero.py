"""The count is at least 1."""

import autograd_lab as torch

counts = torch.tensor([0.0, 2.0])
w = torch.tensor([0.0, 1.0], requires_grad=True)
share = w / counts.clamp(min=1)
loss = (share * 2).sum()
loss.backward()
