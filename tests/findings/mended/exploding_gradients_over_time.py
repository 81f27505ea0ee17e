"""An orthogonal matrix turns what it multiplies, and leaves its size as it is."""

import autograd_lab as torch

torch.manual_seed(0)
W = torch.nn.Parameter(torch.nn.init.orthogonal_(torch.empty(3, 3)))
optimizer = torch.optim.Adam([W], lr=0.001)
for _ in range(2):
    hidden = torch.zeros(4, 3)
    for _ in range(40):
        hidden = hidden @ W + torch.randn(4, 3)
    loss = hidden.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
