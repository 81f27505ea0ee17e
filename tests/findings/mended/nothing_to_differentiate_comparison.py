"""A sigmoid is a comparison that changes smoothly: close to 0 below the threshold, close to 1 above it."""

import autograd_lab as torch

w = torch.tensor([0.1, 0.9, 0.3], requires_grad=True)
hit = ((w - 0.2) * 10).sigmoid()
hit.mean().backward()
