"""The loss is computed of the output."""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(2, 2)
x, target = torch.randn(4, 2), torch.randn(4, 2)
output = model(x)
loss = F.mse_loss(output, target)
loss.backward()
