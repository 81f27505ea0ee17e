"""warning: gradients-cleared-before-step

zero_grad() stands between backward() and step()

zero_grad() throws away what backward() has just brought, so step() has nothing to work with. The loss stays as it is.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    loss.backward()
    optimizer.zero_grad()  # <-- here
    optimizer.step()
