"""Without detach(), gradients go on to the encoder."""

import autograd_lab as torch

torch.manual_seed(0)
encoder, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()])
for _ in range(2):
    features = encoder(torch.randn(4, 2))
    loss = head(features).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
