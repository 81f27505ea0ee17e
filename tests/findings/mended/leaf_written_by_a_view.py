"""Under no_grad() the write is not recorded."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    w[0] = 1.0
