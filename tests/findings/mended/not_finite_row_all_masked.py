"""Each row keeps the entry on the diagonal."""

import autograd_lab as torch

torch.manual_seed(0)
scores = torch.randn(3, 3, requires_grad=True)
mask = torch.ones(3, 3).tril() == 0
masked = scores.masked_fill(mask, float("-inf"))
weights = torch.softmax(masked, -1)
loss = (weights @ torch.randn(3, 2)).pow(2).sum()
loss.backward()
