"""CrossEntropyLoss takes the logarithms of the probabilities itself."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.tensor([0, 1, 2, 0])
for _ in range(2):
    loss = criterion(model(x), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
