"""warning: not-finite

inf in float16

The largest float16 is 65504, and exp(12) is about 162755.
"""

import autograd_lab as torch

x = torch.tensor([12.0, 1.0], dtype=torch.float16, requires_grad=True)
y = x.exp()  # <-- here
y.sum().backward()
# remedy: Make x float32
