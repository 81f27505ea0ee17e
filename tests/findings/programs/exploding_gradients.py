"""warning: exploding-gradients

The gradients grow from step to step

Each step goes so far that it lands higher up on the other side of the valley, where the slope is steeper and the next
step longer.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=5.0)
x, target = torch.randn(8, 3), torch.randn(8, 1)
for _ in range(8):
    loss = (model(x) - target).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()  # <-- here
    optimizer.step()
# also: updates-larger-than-weights
