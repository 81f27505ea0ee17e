"""The mean is one number. A sum is as good; it only makes the gradient larger."""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.mean().backward()
