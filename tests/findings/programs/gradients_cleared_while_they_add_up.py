"""warning: gradients-cleared-before-step

zero_grad() stands in the loop that accumulates gradients

Two small batches were to count as a large one: their gradients add up, and then there is a step. zero_grad() throws
away those of the first, so the step uses half of the data.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    for _ in range(2):
        loss = model(torch.randn(4, 2)).pow(2).mean() / 2
        optimizer.zero_grad()  # <-- here
        loss.backward()
    optimizer.step()
# remedy: before the loop that adds them up: `optimizer.zero_grad()`
