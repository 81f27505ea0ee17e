"""error: nothing-to-differentiate

The loss counts how often a comparison is true, as an accuracy does

A comparison gives truth values. They do not change when `w` changes a little, so there is no gradient.
"""

import autograd_lab as torch

w = torch.tensor([0.1, 0.9, 0.3], requires_grad=True)
hit = (w > 0.2).float()  # <-- here
hit.mean().backward()
# remedy: sigmoid for a comparison
