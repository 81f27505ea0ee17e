"""warning: step-never-called

Of two optimizers the wrong one steps after the generator's loss

Gradients come to the generator, and `opt_D` steps, which knows nothing of it. What it does know are gradients that the
generator's loss has left in the discriminator: that learns to call fake data real.
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
    loss_D = criterion(D(real), yes) + criterion(D(fake.detach()), no)
    opt_D.zero_grad()
    loss_D.backward()
    opt_D.step()
    loss_G = criterion(D(fake), yes)
    opt_G.zero_grad()
    loss_G.backward()  # <-- here
    opt_D.step()
# remedy: `opt_G.step()`
