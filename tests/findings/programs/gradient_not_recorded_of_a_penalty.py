"""warning: gradient-not-recorded

A gradient penalty is added to the loss, and grad() was called without create_graph=True

What grad() gives has no history then. The penalty is a number that is added to the loss: it changes what is printed,
and no gradient.
"""

import autograd_lab as torch

torch.manual_seed(0)
critic = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(critic.parameters(), lr=0.01)
for _ in range(3):
    real, fake = torch.randn(4, 2) + 2, torch.randn(4, 2)
    between = (0.5 * real + 0.5 * fake).requires_grad_()
    slope = torch.autograd.grad(critic(between).sum(), between)[0]  # <-- here
    penalty = (slope.norm(dim=1) - 1).pow(2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: create_graph=True
