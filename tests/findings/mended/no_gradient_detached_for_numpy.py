"""torch.clamp knows its derivative."""

import autograd_lab as torch

torch.manual_seed(0)
encoder, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    features = encoder(torch.randn(4, 2))
    limited = torch.clamp(features, -1, 1)
    loss = head(limited).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
