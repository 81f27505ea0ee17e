"""warning: vanishing-gradients

A recurrent network learns nothing of what came early in a sequence

In each turn the gradient is multiplied by the same weight and by the slope of tanh. Both make it smaller, so that after
60 turns next to nothing of it is left.
"""

import autograd_lab as torch

torch.manual_seed(0)
cell, head = torch.nn.RNNCell(2, 4), torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    hidden = torch.zeros(3, 4)
    for _ in range(60):
        hidden = cell(torch.randn(3, 2), hidden)  # <-- here
    loss = head(hidden).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `hidden = hidden + 0.1 * (...)`
