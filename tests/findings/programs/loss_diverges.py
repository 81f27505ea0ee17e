"""warning: loss-diverges

The learning rate is too large, and each step goes further past the minimum

The numbers are still finite. Each step overshoots by more than the one before, so the loss grows by the same factor in
every turn.
"""

import autograd_lab as torch

w = torch.nn.Parameter(torch.ones(1))
opt = torch.optim.SGD([w], lr=0.05)
x = torch.tensor([[6.0], [7.0], [8.0], [9.0]])
for _ in range(4):
    loss = (w * x - 3 * x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()  # <-- here
# remedy: `SGD(..., lr=0.005)`
