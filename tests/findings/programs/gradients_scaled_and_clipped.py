"""warning: gradients-scaled

clip_grad_norm_ before the GradScaler has divided the gradients

A norm of 1 is the limit, and the gradients are 65,536 times as large as they are. They are clipped in each turn, and
divided afterwards: next to nothing is left of them.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <-- here
    scaler.step(optimizer)
    scaler.update()
# remedy: `scaler.unscale_(optimizer)`
