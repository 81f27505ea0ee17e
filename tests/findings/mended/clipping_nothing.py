"""A list can be gone through again and again."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
params = list(model.parameters())
optimizer = torch.optim.SGD(params, lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    optimizer.step()
