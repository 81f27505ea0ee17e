"""error: not-a-leaf

requires_grad_(False) on a computed tensor

Whether a computed tensor requires grad follows from what it was computed from. It can be set only for leaves, such as
parameters.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
features = w * 2
features.requires_grad_(False)  # <-- here
# remedy: To cut its history off
