"""warning: graph-kept-alive

total += loss within an epoch

The sum is a tensor with a history: as long as it is there, so are the graphs of all turns of this epoch. The end of
the epoch lets go of them, so memory goes up and down like a saw.
"""

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
        total += loss  # <-- here
    return float(total)


for _ in range(2):
    print(epoch())
# remedy: `total += loss.item()`
