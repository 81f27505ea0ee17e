"""error: saved-value-overwritten

y += 1 after y = w.exp()

The derivative of exp is exp itself, so `w.exp()` saved its result, `y`. To overwrite it is to spoil what backward()
needs.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w.exp()
y += 1  # <-- here
y.sum().backward()
# remedy: `y = y.clone()`
