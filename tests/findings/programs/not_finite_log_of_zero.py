"""warning: not-finite

The entropy is NaN: 0 * log(0)

log(0) is -inf, and 0 × -inf is NaN, though the limit of p log p is 0.
"""

import autograd_lab as torch

p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
entropy = -(p * p.log()).sum()  # <-- here
entropy.backward()
