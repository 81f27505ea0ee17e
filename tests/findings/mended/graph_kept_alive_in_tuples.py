"""A number leads to nothing."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history = []
for _ in range(4):
    error = model(torch.randn(4, 2)).pow(2).mean()
    penalty = model.weight.pow(2).sum()
    optimizer.zero_grad()
    error.backward()
    penalty.backward()
    optimizer.step()
    total = error + penalty
    history.append((total.item(), optimizer))
