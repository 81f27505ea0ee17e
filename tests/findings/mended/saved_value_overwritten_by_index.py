"""The parts are tensors of their own, and stack() joins them when all are there."""

import autograd_lab as torch

x = torch.tensor(0.5, requires_grad=True)
parts = [x]
for t in range(1, 4):
    parts.append(parts[t - 1] ** 2)
h = torch.stack(parts)
h[3].backward()
