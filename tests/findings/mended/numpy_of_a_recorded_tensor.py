"""detach() gives the numbers without their history."""

import autograd_lab as torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.detach().numpy()
