"""warning: no-gradient-unrecorded

A reentrant checkpoint of the first layers

A checkpoint with use_reentrant=True records only if one of its inputs requires grad. Data do not, so the layers
inside of it get no gradient, while the rest of the model learns.
"""

import autograd_lab as torch

torch.manual_seed(0)
body, head = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    features = torch.utils.checkpoint.checkpoint(body, torch.ones(3, 4), use_reentrant=True)  # <-- here
    loss = head(features).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: use_reentrant=False
