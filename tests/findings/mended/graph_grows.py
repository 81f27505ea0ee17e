"""detach() cuts off the history of what is carried over, so that each backward() ends where its turn began."""

import autograd_lab as torch

torch.manual_seed(0)
cell = torch.nn.Linear(3, 3)
hidden = torch.zeros(1, 3)
for _ in range(4):
    hidden = torch.tanh(cell(hidden.detach()))
    loss = hidden.pow(2).sum()
    cell.zero_grad()
    loss.backward()
