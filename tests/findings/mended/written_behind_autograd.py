"""The forward pass comes after the write."""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    x += 1
y = (x * x).sum()
y.backward()
