"""`w`, which is to be learned, asks for a gradient."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
loss = (w * x).sum()
loss.backward()
