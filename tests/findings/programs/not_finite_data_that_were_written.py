"""warning: not-finite

A NaN is written into the data

All that is computed from it is NaN, and no operation is to blame.
"""

import autograd_lab as torch

x = torch.randn(4, 2)
x[1, 0] = float("nan")  # <-- here
model = torch.nn.Linear(2, 1)
loss = model(x).pow(2).mean()
loss.backward()
# remedy: `x[torch.isfinite(x).all(1)]`
