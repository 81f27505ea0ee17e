"""The state is added to: the gradient goes back through the sum as it is, beside what comes through the cell."""

import autograd_lab as torch

torch.manual_seed(0)
cell, head = torch.nn.RNNCell(2, 4), torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    hidden = torch.zeros(3, 4)
    for _ in range(60):
        hidden = hidden + 0.1 * cell(torch.randn(3, 2), hidden)
    loss = head(hidden).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
