"""note: gradient-in-some-turns

A layer is skipped in some iterations

`deep` runs in every other turn. In the turns between it gets no gradient and the optimizer leaves it alone, which may
be meant; but in DistributedDataParallel it is an error.
"""

import autograd_lab as torch

torch.manual_seed(0)
body, deep = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD([*body.parameters(), *deep.parameters()], lr=0.1)
for turn in range(4):
    h = body(torch.randn(4, 2))
    if turn % 2 == 0:
        h = deep(h)  # <-- here
    loss = h.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `find_unused_parameters=True`
