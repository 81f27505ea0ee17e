"""warning: gradients-scaled

optimizer.step() in the place of scaler.step(optimizer)

A GradScaler makes the loss large, so that small gradients do not vanish in half precision. Its own step() divides them
again; that of the optimizer takes them as they are.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
scaler = torch.amp.GradScaler("cpu")
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    optimizer.step()  # <-- here
# remedy: `scaler.step(optimizer)`
