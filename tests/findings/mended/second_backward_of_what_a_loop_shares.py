"""Each turn computes `h` anew."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
for k in range(3):
    h = w.exp()
    loss = h[k] * 2
    loss.backward()
