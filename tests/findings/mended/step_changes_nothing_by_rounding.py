"""A change has to be large enough to be seen in seven digits."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _ in range(3):
    loss = ((model(x) - target) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
