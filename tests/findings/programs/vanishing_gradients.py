"""warning: vanishing-gradients

The first layers of a deep sigmoid network do not learn

The slope of a sigmoid is 1/4 at most. Each layer multiplies the gradient by it, so that after twelve layers next to
nothing is left.
"""

import autograd_lab as torch

torch.manual_seed(0)
layers = [part for _ in range(12) for part in (torch.nn.Linear(4, 4), torch.nn.Sigmoid())]  # <-- here
model = torch.nn.Sequential(*layers, torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = (model(torch.randn(8, 4)) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: Take `nn.GELU()` in the place of `nn.Sigmoid()`
