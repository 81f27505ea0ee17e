"""The layer runs in each turn."""

import autograd_lab as torch

torch.manual_seed(0)
body, deep = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD([*body.parameters(), *deep.parameters()], lr=0.1)
for _ in range(4):
    h = deep(body(torch.randn(4, 2)))
    loss = h.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
