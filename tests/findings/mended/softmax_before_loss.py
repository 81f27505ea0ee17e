"""The model gives logits, and softmax is part of the loss."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.CrossEntropyLoss()
x, target = torch.randn(4, 2), torch.tensor([0, 1, 2, 0])
for _ in range(2):
    output = model(x)
    loss = criterion(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
