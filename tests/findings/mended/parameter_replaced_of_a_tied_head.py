"""The optimizer is made when the head has been replaced."""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Embedding(5, 4), torch.nn.Linear(4, 5, bias=False))
model[1].weight = model[0].weight
model[1] = torch.nn.Linear(4, 5, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = F.cross_entropy(model(torch.tensor([0, 1, 2])), torch.tensor([1, 2, 3]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
