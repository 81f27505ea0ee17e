"""warning: not-finite

The gradient is NaN in spite of torch.where

torch.where chooses among results: both branches are computed, and gradients go back through both. To the branch that
was not chosen goes 0, and 0 × inf is NaN.
"""

import autograd_lab as torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), torch.zeros(2))  # <-- here
y.sum().backward()
# remedy: Choose before computing
