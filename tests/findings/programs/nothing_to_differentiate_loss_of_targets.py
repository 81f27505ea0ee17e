"""error: nothing-to-differentiate

The loss does not use the output of the model

The target is compared with itself, so what the model computes has no part in the loss, and none of its weights is
behind it.
"""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
x, target = torch.randn(4, 2), torch.randn(4, 1)
output = model(x)
loss = F.mse_loss(target, target)  # <-- here
loss.backward()
# remedy: `loss(output, target)`
