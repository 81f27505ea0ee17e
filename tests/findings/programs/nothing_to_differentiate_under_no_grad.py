"""error: nothing-to-differentiate

The loss is computed from what was made under torch.no_grad()

Nothing is recorded under no_grad(), so `y` and all that is computed from it have no history.
"""

import autograd_lab as torch

w = torch.tensor([0.1, 0.9, 0.3], requires_grad=True)
with torch.no_grad():
    y = w * 2  # <-- here
loss = y.sum()
loss.backward()
