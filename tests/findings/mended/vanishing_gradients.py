"""The slope of a GELU is close to 1 for positive inputs, and BatchNorm keeps inputs and gradients at the same size in
each layer."""

import autograd_lab as torch

torch.manual_seed(0)
layers = [part for _ in range(12) for part in (torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.GELU())]
model = torch.nn.Sequential(*layers, torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = (model(torch.randn(8, 4)) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
