"""error: not-finite

Function 'SqrtBackward0' returned nan values in its 0th output

Anomaly mode stops at the first backward function that gives a NaN. The slope of sqrt is infinite at 0, and the mask
multiplies it by 0: 0 × inf is NaN.
"""

import autograd_lab as torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=True):
    y = torch.sqrt(x) * torch.tensor([0.0, 1.0])  # <-- here
    y.sum().backward()
