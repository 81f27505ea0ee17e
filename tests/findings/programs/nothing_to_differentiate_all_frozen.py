"""error: nothing-to-differentiate

All parameters are frozen

Nothing that the loss was computed from asks for a gradient, so nothing was recorded.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
for parameter in model.parameters():
    parameter.requires_grad_(False)  # <-- here
model(torch.ones(3, 2)).mean().backward()
# remedy: model.weight
