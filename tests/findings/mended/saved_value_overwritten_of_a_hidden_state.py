"""detach() cuts off the history of what is carried over."""

import autograd_lab as torch

torch.manual_seed(0)
cell = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
hidden = torch.zeros(1, 3)
for _ in range(3):
    hidden = cell(hidden.detach()).tanh()
    loss = hidden.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
