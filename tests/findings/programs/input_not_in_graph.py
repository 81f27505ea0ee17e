"""error: input-not-in-graph

torch.autograd.grad() with respect to a tensor that the result does not depend on

`y` was computed from `a` alone. There is no way from `y` back to `b`.
"""

import autograd_lab as torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = a * a
torch.autograd.grad(y, [a, b])  # <-- here
# remedy: `allow_unused=True`
