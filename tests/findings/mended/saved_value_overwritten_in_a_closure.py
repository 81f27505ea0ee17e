"""The sum is another tensor."""

import autograd_lab as torch

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def closure():
    optimizer.zero_grad()
    gate = model(torch.ones(4, 2)).sigmoid()
    loss = (gate + 1).mean()
    loss.backward()
    return loss


optimizer.step(closure)
