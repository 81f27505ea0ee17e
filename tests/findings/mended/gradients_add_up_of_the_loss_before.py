"""The discriminator's gradients are cleared before those that are for it come."""

import autograd_lab as torch

torch.manual_seed(0)
G, D = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
opt_G = torch.optim.SGD(G.parameters(), lr=0.01)
opt_D = torch.optim.SGD(D.parameters(), lr=0.01)
criterion = torch.nn.BCEWithLogitsLoss()
real, yes, no = torch.randn(4, 3), torch.ones(4, 1), torch.zeros(4, 1)
for _ in range(3):
    opt_G.zero_grad()
    fake = G(torch.randn(4, 2))
    criterion(D(fake), yes).backward()
    opt_G.step()
    loss_D = criterion(D(real), yes) + criterion(D(fake.detach()), no)
    opt_D.zero_grad()
    loss_D.backward()
    opt_D.step()
