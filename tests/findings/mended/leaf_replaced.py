"""Under no_grad(), `-=` changes the leaf itself."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
w.grad = None
loss = (w * w).sum()
loss.backward()
