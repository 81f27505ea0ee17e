"""error: saved-value-overwritten

h[t] = f(h[t - 1]) writes to what f has saved

All rows are one tensor. A write to a row counts for the whole, so what was read from it before is no longer what it
was when it was saved, even though another row was written to.
"""

import autograd_lab as torch

x = torch.tensor(0.5, requires_grad=True)
h = torch.zeros(4)
h[0] = x
for t in range(1, 4):
    h[t] = h[t - 1] ** 2  # <-- here
h[3].backward()
# remedy: h = torch.stack(parts)
