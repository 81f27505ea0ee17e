"""warning: leaf-replaced

for p in model.parameters(): p = p - lr * p.grad

`p` is a name. The line makes a new tensor and gives it the name; the parameter that had it before stays in the model,
as it was.
"""

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
            p = p - 0.1 * p.grad  # <-- here
# remedy: `with torch.no_grad(): p.copy_(p - 0.1 * p.grad)`
