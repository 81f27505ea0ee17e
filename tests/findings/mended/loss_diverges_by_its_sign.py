"""Without it the optimizer descends."""

import autograd_lab as torch

w = torch.nn.Parameter(torch.ones(3))
opt = torch.optim.SGD([w], lr=0.1)
x = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
for _ in range(20):
    loss = (x @ w - 3).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
