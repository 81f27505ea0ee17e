"""error: nothing-to-differentiate

The loss is computed of the input in place of the output

What the model gives is in no way part of the loss.
"""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(2, 2)
x, target = torch.randn(4, 2), torch.randn(4, 2)
output = model(x)
loss = F.mse_loss(x, target)  # <-- here
loss.backward()
# remedy: `loss(output, target)`
