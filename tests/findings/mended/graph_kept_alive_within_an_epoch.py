"""A number has no history."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def epoch():
    total = 0.0
    for _ in range(5):
        loss = model(torch.randn(4, 2)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return float(total)


for _ in range(2):
    print(epoch())
