"""warning: graph-kept-alive

history.append((total, ...)) keeps the graph of each iteration

`total` was computed from both losses, and so leads to their graphs, for as long as it is in the list.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history = []
for _ in range(4):
    error = model(torch.randn(4, 2)).pow(2).mean()
    penalty = model.weight.pow(2).sum()
    optimizer.zero_grad()
    error.backward()
    penalty.backward()
    optimizer.step()
    total = error + penalty
    history.append((total, optimizer))  # <-- here
# remedy: `history.append((total.item(), optimizer))`
