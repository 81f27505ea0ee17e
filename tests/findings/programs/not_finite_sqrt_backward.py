"""warning: not-finite

The gradient of sqrt(0) is inf or NaN

The slope of sqrt is infinite at 0. The mask multiplies it by 0 on the way back, and 0 × inf is NaN: a mask behind sqrt
does not help.
"""

import autograd_lab as torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
mask = torch.tensor([0.0, 1.0])
y = x.sqrt() * mask  # <-- here
y.sum().backward()
