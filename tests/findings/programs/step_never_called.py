"""warning: step-never-called

optimizer.step() is missing from the training loop

backward() brings gradients, and step() uses them. Without it the loss of the last turn is that of the first, but for
the data.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _ in range(3):
    loss = ((model(x) - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()  # <-- here
# remedy: `optimizer.step()`
