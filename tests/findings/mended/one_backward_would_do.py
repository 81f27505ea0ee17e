"""The sum of both losses is gone back from, once."""

import autograd_lab as torch

torch.manual_seed(0)
body, left, right = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([*body.parameters(), *left.parameters(), *right.parameters()], lr=0.1)
for _ in range(2):
    features = body(torch.randn(4, 2)).tanh()
    first = left(features).pow(2).mean()
    second = right(features).abs().mean()
    optimizer.zero_grad()
    (first + second).backward()
    optimizer.step()
