"""warning: no-gradient-no-grad

The encoder runs under torch.no_grad() and does not learn

Nothing is recorded under no_grad(), so no path leads from the loss back to the encoder.
"""

import autograd_lab as torch

torch.manual_seed(0)
encoder, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()])
for _ in range(2):
    with torch.no_grad():
        features = encoder(torch.randn(4, 2))  # <-- here
    loss = head(features).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
