"""The output has the shape of the target, (4,)."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.MSELoss()
x, target = torch.randn(4, 2), torch.randn(4)
for _ in range(2):
    loss = criterion(model(x).squeeze(1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
