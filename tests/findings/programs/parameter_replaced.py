"""warning: parameter-replaced

A layer is replaced after the optimizer was made

The optimizer holds the parameters that it was given. It goes on with those of the old layer, and never hears of the new
one.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[1] = torch.nn.Linear(3, 1)  # <-- here
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
