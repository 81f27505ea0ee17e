"""clamp() keeps what goes into the logarithm above 0."""

import autograd_lab as torch

p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
entropy = -(p * p.clamp(min=1e-12).log()).sum()
entropy.backward()
