"""warning: not-finite

A NaN is written into a batch

The batch is a copy, made of whole data; all that is computed from it is NaN.
"""

import autograd_lab as torch

data = torch.randn(16, 2)
x = data[torch.tensor([3, 0, 9, 2])]
x[1, 0] = float("nan")  # <-- here
model = torch.nn.Linear(2, 1)
loss = model(x).pow(2).mean()
loss.backward()
# remedy: `x[torch.isfinite(x).all(1)]`
