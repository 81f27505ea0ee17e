"""warning: weights-shared

average = model gives a second name to the same model

`=` copies nothing. The average of the weights is the weights themselves, and each update of it makes them smaller.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
average = model  # <-- here
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = (model(torch.ones(4, 2)) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(average.parameters(), model.parameters(), strict=True):
            old.mul_(0.9).add_(0.1 * new)
# remedy: `average = copy.deepcopy(model)`
