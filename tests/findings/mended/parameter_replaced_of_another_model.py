"""The optimizer is made last, of the model that is trained."""

import copy

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
model = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.ones(2, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
