"""error: seed-of-another-shape

backward(gradient) with a gradient of another shape

What backward() is given says how much each number of `y` counts. It has to have the shape of `y`.
"""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.backward(torch.ones(3))  # <-- here
