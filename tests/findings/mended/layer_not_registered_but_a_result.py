"""The Parameter is made last, of what was computed."""

import autograd_lab as torch
from autograd_lab import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 3)
        self.scale = nn.Parameter(0.1 * torch.randn(3) + 1)

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
