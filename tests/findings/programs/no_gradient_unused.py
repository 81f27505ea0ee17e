"""warning: no-gradient-unused

A layer is never called

`head` is given to the optimizer, and no computation uses it. Its `.grad` stays None.
"""

import autograd_lab as torch

torch.manual_seed(0)
body = torch.nn.Linear(2, 1)
head = torch.nn.Linear(2, 1)  # <-- here
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    loss = body(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
