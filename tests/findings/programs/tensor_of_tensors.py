"""warning: tensor-of-tensors

torch.tensor([a, b]) of tensors that require grad

torch.tensor() copies numbers. The new tensor has no history and leads no gradient back to `a` and `b`.
"""

import autograd_lab as torch

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
w = torch.tensor([1.0, 1.0], requires_grad=True)
both = torch.tensor([a * a, b])  # <-- here
loss = (both * w).sum()
loss.backward()
# remedy: torch.stack
