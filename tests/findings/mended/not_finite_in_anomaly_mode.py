"""A small number keeps the root away from 0."""

import autograd_lab as torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=True):
    y = torch.sqrt(x + 1e-12) * torch.tensor([0.0, 1.0])
    y.sum().backward()
