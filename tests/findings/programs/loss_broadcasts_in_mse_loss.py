"""warning: loss-broadcasts

MSELoss of (4, 1) and (4,)

PyTorch warns of it once, and goes on. Each output is compared with every target.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = torch.nn.MSELoss()
x, target = torch.randn(4, 2), torch.randn(4)
for _ in range(2):
    loss = criterion(model(x), target)  # <-- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `.squeeze(1)`
