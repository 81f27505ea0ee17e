"""warning: leaf-replaced

After an update under no_grad(), w no longer requires grad

What is computed under no_grad() does not ask for a gradient. Here it takes the name of the leaf that did.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
with torch.no_grad():
    w = w - 0.1 * w.grad  # <-- here
loss = (w * w).sum()
