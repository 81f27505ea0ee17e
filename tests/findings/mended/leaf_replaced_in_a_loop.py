"""The parameter itself is written to."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _ in range(3):
    loss = (model(x) - target).pow(2).mean()
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(p - 0.1 * p.grad)
