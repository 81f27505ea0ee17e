"""Both have the shape (4, 1)."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.randn(4)
for _ in range(2):
    output = model(x)
    loss = ((output - target.unsqueeze(1)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
