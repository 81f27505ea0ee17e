"""warning: no-gradient-detached

A generator's output is detached in the wrong loss

The discriminator's loss sends gradients into the generator, which are cleared unused. The generator's own loss reaches
nothing.
"""

import autograd_lab as torch

torch.manual_seed(0)
G, D = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
opt_G = torch.optim.SGD(G.parameters(), lr=0.01)
opt_D = torch.optim.SGD(D.parameters(), lr=0.01)
criterion = torch.nn.BCEWithLogitsLoss()
real, yes, no = torch.randn(4, 3), torch.ones(4, 1), torch.zeros(4, 1)
for _ in range(3):
    fake = G(torch.randn(4, 2))
    loss_D = criterion(D(real), yes) + criterion(D(fake), no)
    opt_D.zero_grad()
    loss_D.backward()
    opt_D.step()
    loss_G = criterion(D(fake.detach()), yes)  # <-- here
    opt_G.zero_grad()
    loss_G.backward()
    opt_G.step()
# remedy: The `detach()` is in the wrong loss
