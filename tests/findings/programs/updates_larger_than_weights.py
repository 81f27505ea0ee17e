"""warning: updates-larger-than-weights

Each update is larger than the weights, and the loss grows

As a rule of thumb, an update is about a thousandth of the weights. Here each one replaces them.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=3.0)
x, target = torch.randn(8, 3), torch.randn(8, 1)
for _ in range(4):
    loss = (model(x) - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-- here
