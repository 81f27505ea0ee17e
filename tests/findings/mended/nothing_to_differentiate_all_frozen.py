"""The parameters that are to learn ask for a gradient."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
for parameter in model.parameters():
    parameter.requires_grad_(True)
model(torch.ones(3, 2)).mean().backward()
