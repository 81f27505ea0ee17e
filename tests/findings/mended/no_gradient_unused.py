"""The head is used on the path to the loss."""

import autograd_lab as torch

torch.manual_seed(0)
body = torch.nn.Linear(2, 1)
head = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    loss = head(body(torch.randn(4, 2))).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
