"""__init__ makes the layer once, and forward() uses it."""

import autograd_lab as torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 3)
        self.last = torch.nn.Linear(3, 1)

    def forward(self, x):
        return self.last(torch.tanh(self.first(x)))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.ones(2, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
