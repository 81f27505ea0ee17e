"""Recording is off within the block alone."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def evaluate():
    with torch.no_grad():
        return model(torch.randn(4, 2)).mean().item()


for _ in range(2):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    evaluate()
