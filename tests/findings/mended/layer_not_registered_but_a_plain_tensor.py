"""A Parameter is registered with its module."""

import autograd_lab as torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(2, 2)
        self.scale = torch.nn.Parameter(torch.ones(2))

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
