"""error: leaf-written

w += 1 for a tensor that requires grad

`w` is a leaf: its value is where the graph begins. If autograd recorded the write, `w` would not be a leaf any more and
would get no `.grad`.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
w += 1  # <-- here
# remedy: `with torch.no_grad():`
