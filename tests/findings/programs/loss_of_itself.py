"""warning: loss-of-itself

The loss is computed of the output and the output

A slip of the pen. Their difference is 0 in every turn, and so are all gradients: the model stays as it is.
"""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _ in range(2):
    output = model(x)
    loss = F.mse_loss(output, output)  # <-- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `loss(output, target)`
