"""error: nothing-to-differentiate

A second derivative with retain_graph=True instead of create_graph=True

retain_graph=True keeps the graph that was gone through. It does not record the pass, so `slope` is a number without a
history.
"""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
(slope,) = torch.autograd.grad(y, x, retain_graph=True)  # <-- here
slope.sum().backward()
# remedy: `create_graph=True`
