"""warning: loss-diverges

maximize=True makes the loss as large as possible

It is for what is to grow, such as a reward. Of a loss the optimizer climbs, each turn a little faster.
"""

import autograd_lab as torch

w = torch.nn.Parameter(torch.ones(3))
opt = torch.optim.SGD([w], lr=0.1, maximize=True)  # <-- here
x = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]])
for _ in range(20):
    loss = (x @ w - 3).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
# remedy: `maximize=True`
