"""warning: exploding-gradients

The gradients of a recurrent network explode over a long sequence

In each turn the gradient is multiplied by the same matrix. This one makes it half as large again, which is about ten
million times after 40 turns: what came early in the sequence drowns all that came late.
"""

import autograd_lab as torch

torch.manual_seed(0)
W = torch.nn.Parameter(1.5 * torch.eye(3))
optimizer = torch.optim.Adam([W], lr=0.001)
for _ in range(2):
    hidden = torch.zeros(4, 3)
    for _ in range(40):
        hidden = hidden @ W + torch.randn(4, 3)  # <-- here
    loss = hidden.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `torch.nn.init.orthogonal_(W)`, which mends
