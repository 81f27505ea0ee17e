"""The gradient of a sum is the sum of the gradients: one backward() does for both."""

import autograd_lab as torch

w = torch.tensor(2.0, requires_grad=True)
shared = w.exp()
first = shared * 2
second = shared * 3
(first + second).backward()
