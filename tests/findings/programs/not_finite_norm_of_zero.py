"""warning: not-finite

The gradient of a norm is NaN at zero

The slope of sqrt is infinite at 0, and the slope of the square is 0 there. Their product is NaN.
"""

import autograd_lab as torch

x = torch.zeros(3, requires_grad=True)
length = torch.sqrt((x * x).sum())  # <-- here
length.backward()
# remedy: `torch.sqrt((x * x).sum() + 1e-12)`
