"""A copy has memory of its own."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
array = x.numpy().copy()
y = (w * x).sum()
array += 1
y.backward()
