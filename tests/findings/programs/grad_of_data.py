"""warning: grad-of-data

x.grad is None: the gradient of an input

A tensor gets a gradient only if it was asked for before the forward pass. Parameters of a module ask by themselves,
data does not.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
x = torch.randn(3, 2)  # <-- here
model(x).sum().backward()
print(x.grad)
# remedy: `x.requires_grad_()`
