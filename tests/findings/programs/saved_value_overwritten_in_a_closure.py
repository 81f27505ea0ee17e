"""error: saved-value-overwritten

A result is written to inside the function that an optimizer's step() calls

The step calls it before it updates anything, as trainers have it: the function is to blame, not the step.
"""

import autograd_lab as torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def closure():
    optimizer.zero_grad()
    gate = model(torch.ones(4, 2)).sigmoid()
    gate += 1  # <-- here
    loss = gate.mean()
    loss.backward()
    return loss


optimizer.step(closure)
# remedy: `gate = gate + 1`
