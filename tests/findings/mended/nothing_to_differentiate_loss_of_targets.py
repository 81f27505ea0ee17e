"""The output is compared with the target."""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
x, target = torch.randn(4, 2), torch.randn(4, 1)
output = model(x)
loss = F.mse_loss(output, target)
loss.backward()
