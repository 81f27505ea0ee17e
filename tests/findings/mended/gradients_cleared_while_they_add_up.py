"""Gradients are cleared once, before those of both batches add up."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    for _ in range(2):
        loss = model(torch.randn(4, 2)).pow(2).mean() / 2
        loss.backward()
    optimizer.step()
