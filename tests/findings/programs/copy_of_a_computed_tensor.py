"""error: copy-of-a-computed-tensor

copy.deepcopy of a tensor that was computed

A copy of `h` would need a copy of the graph behind it, which deepcopy does not make.
"""

from copy import deepcopy

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
h = w * 2
best = deepcopy(h)  # <-- here
# remedy: `h.detach().clone()`
