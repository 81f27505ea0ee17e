"""Gradients are cleared for each batch."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _epoch in range(2):
    for _ in range(3):
        loss = ((model(x) - target) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
