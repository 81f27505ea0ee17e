"""warning: gradient-of-steps

Rounded weights learn nothing

round() makes steps: between them it is flat, and at them it has no slope. Whatever comes before it gets a gradient of
0, and no error.
"""

import autograd_lab as torch

w = torch.tensor([1.3, 2.7], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    levels = torch.round(w)  # <-- here
    loss = (levels - 2).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: w + (torch.round(w) - w).detach()
