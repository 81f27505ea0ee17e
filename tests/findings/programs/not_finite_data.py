"""warning: not-finite

The loss is NaN because the data has a NaN

A single NaN among the inputs is enough: every number that is computed from it is NaN as well.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
x = torch.tensor([[1.0, float("nan")]])  # <-- here
model(x).sum().backward()
