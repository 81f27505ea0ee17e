"""note: one-backward-would-do

Two losses share a network, and each has its own backward(retain_graph=True)

Gradients of several passes add up, as those of a sum do: one pass from the sum brings the same, and goes
through the part that both share once.
"""

import autograd_lab as torch

torch.manual_seed(0)
body, left, right = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([*body.parameters(), *left.parameters(), *right.parameters()], lr=0.1)
for _ in range(2):
    features = body(torch.randn(4, 2)).tanh()
    first = left(features).pow(2).mean()
    second = right(features).abs().mean()
    optimizer.zero_grad()
    first.backward(retain_graph=True)  # <-- here
    second.backward()
    optimizer.step()
# remedy: `(first + second).backward()`
