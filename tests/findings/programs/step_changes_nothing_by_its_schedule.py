"""warning: step-changes-nothing

scheduler.step() within the loop over the batches

A rate that is divided by 10 in each epoch is divided by 10 in each batch instead: after a dozen of them it is too small
to change a weight.
"""

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
        scheduler.step()  # <-- here
# remedy: once an epoch
