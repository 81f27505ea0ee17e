"""error: leaf-written

w[0] = 1.0 for a tensor that requires grad

`w[0]` is a view of the leaf `w`: to write to one is to write to the other.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
w[0] = 1.0  # <-- here
