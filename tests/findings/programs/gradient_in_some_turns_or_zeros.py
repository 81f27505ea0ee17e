"""note: gradient-in-some-turns

A layer is skipped in some iterations, and zero_grad(set_to_none=False) leaves zeros

To the optimizer a gradient of 0 is a gradient: in the turns in which `deep` does not run, weight decay moves it all
the same.
"""

import autograd_lab as torch

torch.manual_seed(0)
body, deep = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD([*body.parameters(), *deep.parameters()], lr=0.1, weight_decay=0.1)
for turn in range(4):
    h = body(torch.randn(4, 2))
    if turn % 2 == 0:
        h = deep(h)  # <-- here
    loss = h.pow(2).mean()
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
# remedy: `optimizer.zero_grad(set_to_none=True)`
