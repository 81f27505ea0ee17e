"""warning: layer-not-registered

Layers in a Python list are missing from model.parameters()

A module knows of the layers that are its attributes. It does not look into lists and dicts, so the optimizer never
hears of these two.
"""

import autograd_lab as torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(2, 3)
        self.rest = [torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)]  # <-- here

    def forward(self, x):
        x = self.first(x)
        for layer in self.rest:
            x = layer(x)
        return x


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: nn.ModuleList
