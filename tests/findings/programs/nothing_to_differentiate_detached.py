"""error: nothing-to-differentiate

The loss is computed from a detached tensor

detach() cuts the history off. `.data`, `.item()` and `.numpy()` do as well.
"""

import autograd_lab as torch

w = torch.tensor(2.0, requires_grad=True)
y = w * 3
loss = y.detach() + 1  # <-- here
loss.backward()
