"""warning: parameter-replaced

The optimizer holds the parameters of another model

`model` is copied after the optimizer was made. What is trained from then on is the copy, and the optimizer steps with
the weights of the first one, which never get a gradient.
"""

import copy

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # <-- here
model = copy.deepcopy(model)
for _ in range(3):
    loss = model(torch.ones(2, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: SGD(model.parameters(), ...)
