"""The leaves themselves change, under no_grad."""

import autograd_lab as torch

params = [torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)]
for _ in range(2):
    loss = (params[0] * params[1] - 3).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= 0.1 * p.grad
            p.grad = None
