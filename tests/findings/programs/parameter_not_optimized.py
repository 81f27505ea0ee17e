"""warning: parameter-not-optimized

The optimizer was not given all parameters

The bias gets gradients, and nobody uses them. It keeps the value that it began with.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD([model.weight], lr=0.1)  # <-- here
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
