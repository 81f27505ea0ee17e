"""The slope is recorded, so the loss is differentiated through it as well."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    x = torch.linspace(0, 1, 5).reshape(-1, 1).requires_grad_()
    u = model(x)
    slope = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
    loss = (slope + u).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
