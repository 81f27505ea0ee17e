"""warning: not-finite

The loss becomes inf or NaN after a few iterations

The learning rate is so large that the first step throws the weight far away. The fourth power of it leaves the range of
float32.
"""

import autograd_lab as torch

w = torch.nn.Parameter(torch.tensor([10.0]))
optimizer = torch.optim.SGD([w], lr=1e15)
for _ in range(6):
    loss = (w**4).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-- here
# remedy: smaller learning rate
