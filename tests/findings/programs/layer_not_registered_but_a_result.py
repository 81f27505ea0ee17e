"""warning: layer-not-registered

self.scale = nn.Parameter(...) + 1

The sum is a result, and no Parameter: parameters() does not find it. The Parameter in it has no name any more.
"""

import autograd_lab as torch
from autograd_lab import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 3)
        self.scale = nn.Parameter(0.1 * torch.randn(3)) + 1  # <-- here

    def forward(self, x):
        return self.layer(x) * self.scale


torch.manual_seed(0)
model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `self.scale = nn.Parameter(0.1 * torch.randn(3) + 1)`
