"""Under no_grad() the write is not recorded. That is how optimizers change parameters."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    w += 1
