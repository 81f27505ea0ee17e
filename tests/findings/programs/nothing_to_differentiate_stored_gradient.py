"""error: nothing-to-differentiate

A gradient penalty that is computed from x.grad

backward() does not record what it computes unless it is told to. `x.grad` has no history.
"""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
y.backward()  # <-- here
penalty = (x.grad**2).sum()
penalty.backward()
# remedy: torch.autograd.grad(y, x, create_graph=True)
