"""warning: no-gradient-detached

detach() on the path to the loss: the encoder does not learn

detach() gives the same numbers without their history. Gradients come as far as `features`, and no further.
"""

import autograd_lab as torch

torch.manual_seed(0)
encoder, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()])
for _ in range(2):
    features = encoder(torch.randn(4, 2)).detach()  # <-- here
    loss = head(features).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
