"""error: input-does-not-ask

torch.autograd.grad() with respect to a tensor without requires_grad

`x` did not ask for a gradient when `y` was computed, so the graph does not lead to it.
"""

import autograd_lab as torch

w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0)
y = w * x
(slope,) = torch.autograd.grad(y, x)  # <-- here
# remedy: `x.requires_grad_()`
