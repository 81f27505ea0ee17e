"""warning: step-changes-nothing

The learning rate is 0

A schedule that has come to its end, or a number in a configuration: the gradients are there, and the step multiplies
them by 0.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.0)  # <-- here
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _ in range(3):
    loss = ((model(x) - target) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
# remedy: `SGD(..., lr=0.01)`
