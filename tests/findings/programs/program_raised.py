"""error: program-raised

mat1 and mat2 shapes cannot be multiplied

The first layer gives three numbers for each example, and the last one expects four. Of an error that has nothing to do
with autograd, `diagnose` says where it was raised; the picture shows the shapes on the way there.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(4, 1))
model(torch.randn(8, 2))  # <-- here
