"""warning: layer-not-registered

A tensor with requires_grad=True is no parameter

It gets a gradient, but a module knows only of what is a Parameter, so the optimizer never hears of it.
"""

import autograd_lab as torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(2, 2)
        self.scale = torch.ones(2, requires_grad=True)  # <-- here

    def forward(self, x):
        return self.first(x) * self.scale


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    loss = model(torch.ones(3, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: nn.Parameter(...)
