"""warning: no-gradient-other-way

The output of a layer is no part of the loss

`aside` computes something, and the loss is computed without it. No path leads from the loss back to `aside`.
"""

import autograd_lab as torch

torch.manual_seed(0)
body, aside = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD([*body.parameters(), *aside.parameters()], lr=0.1)
for _ in range(2):
    x = torch.randn(4, 2)
    unused = aside(x)  # <-- here
    loss = body(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
