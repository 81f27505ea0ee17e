"""The scheduler steps once an epoch."""

import autograd_lab as torch
from autograd_lab.optim.lr_scheduler import StepLR

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=1, gamma=0.1)
for _ in range(2):
    for _ in range(8):
        loss = model(torch.randn(4, 2)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scheduler.step()
