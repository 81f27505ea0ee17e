"""note: no-gradient-frozen

requires_grad_(False) is still set on a layer that should learn

A frozen layer gets no gradient, and an optimizer that was given its parameters skips them. This is a note, since it may
be meant.
"""

import autograd_lab as torch

torch.manual_seed(0)
body, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
body.requires_grad_(False)  # <-- here
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    loss = head(body(torch.randn(4, 2))).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `requires_grad_(True)`
