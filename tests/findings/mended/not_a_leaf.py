"""detach() gives the same numbers without their history."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
features = w * 2
features = features.detach()
