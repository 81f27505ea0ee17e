"""warning: step-before-backward

optimizer.step() is called before loss.backward()

In the first turn, there are no gradients. In the later ones, zero_grad() has just removed them. No step changes
anything.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    optimizer.step()  # <-- here
    loss.backward()
