"""error: nothing-to-differentiate

requires_grad=True was forgotten

A tensor does not ask for a gradient unless it is told to. Nothing asks here, so nothing was recorded.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0])
x = torch.tensor([3.0, 4.0])
loss = (w * x).sum()  # <-- here
loss.backward()
# remedy: requires_grad=True
