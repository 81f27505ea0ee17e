"""warning: gradients-add-up

zero_grad() stands in the outer loop

Gradients are cleared once in an epoch, and each of its steps uses those of all batches before once more.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _epoch in range(2):
    opt.zero_grad()
    for _ in range(3):
        loss = ((model(x) - target) ** 2).mean()
        loss.backward()  # <-- here
        opt.step()
# remedy: `opt.zero_grad()`
