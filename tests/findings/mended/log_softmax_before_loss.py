"""cross_entropy is given logits."""

import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.tensor([0, 1, 2, 0])
for _ in range(2):
    output = model(x)
    loss = F.cross_entropy(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
