"""Forward it rounds; backward it is as if it did not: a straight-through estimator."""

import autograd_lab as torch

w = torch.tensor([1.3, 2.7], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    levels = w + (torch.round(w) - w).detach()
    loss = (levels - 2).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
