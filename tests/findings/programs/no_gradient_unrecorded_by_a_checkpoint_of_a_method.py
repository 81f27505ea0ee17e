"""warning: no-gradient-unrecorded

A reentrant checkpoint of a model's first layers, whose input asks for no gradient

Such a checkpoint records only if one of its inputs asks for a gradient. Data does not, so the layers get none.
"""

import autograd_lab as torch
from autograd_lab import nn
from autograd_lab.utils.checkpoint import checkpoint


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(2, 3), nn.Linear(3, 1)

    def first(self, x):
        return torch.tanh(self.body(x))

    def forward(self, x):
        return self.head(checkpoint(self.first, x, use_reentrant=True))  # <-- here


torch.manual_seed(0)
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `use_reentrant=False`
