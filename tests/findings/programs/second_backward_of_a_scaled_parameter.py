"""error: second-backward

self.scale = nn.Parameter(...) * 0.1

The product was computed once, when the model was made, and is no Parameter: the optimizer does not have it. The second
turn goes back through the same product, which the first has freed.
"""

import autograd_lab as torch
from autograd_lab import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.randn(3)) * 0.1

    def forward(self, x):
        return self.layer(x) * self.scale


torch.manual_seed(0)
model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()  # <-- here
    optimizer.step()
# remedy: `self.scale = nn.Parameter(torch.randn(3) * 0.1)`
