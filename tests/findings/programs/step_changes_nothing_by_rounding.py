"""warning: step-changes-nothing

The learning rate is so small that rounding swallows the change

float32 keeps about seven digits. What is less than the eighth of a weight is nothing to it.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-12)  # <-- here
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _ in range(3):
    loss = ((model(x) - target) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
# remedy: larger learning rate
