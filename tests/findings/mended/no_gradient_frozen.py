"""requires_grad_(True) lets it learn again."""

import autograd_lab as torch

torch.manual_seed(0)
body, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
body.requires_grad_(True)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    loss = head(body(torch.randn(4, 2))).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
