"""stack() joins tensors and is recorded."""

import autograd_lab as torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
w = torch.tensor([1.0, 1.0], requires_grad=True)
both = torch.stack([a * a, b])
loss = (both * w).sum()
loss.backward()
