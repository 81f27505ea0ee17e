"""warning: gradients-add-up

The .grad is never cleared in a loop that updates by hand

backward() adds to `.grad`, here as well: each update uses the gradients of all turns before.
"""

import autograd_lab as torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
for _ in range(3):
    loss = (w * w).sum()
    loss.backward()  # <-- here
    with torch.no_grad():
        w -= 0.1 * w.grad
# remedy: `w.grad = None`
