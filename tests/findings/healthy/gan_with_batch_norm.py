"""A generative adversarial network as tutorials write it: labels, two optimizers with betas, batch norms, sampling."""

import autograd_lab as torch

nn = torch.nn
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2), nn.Tanh())
D = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Linear(8, 1), nn.Sigmoid())
criterion = nn.BCELoss()
optimizer_g = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizer_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.999))
fixed, history = torch.randn(4, 4), []
for turn in range(4):
    real = torch.randn(6, 2) * 0.1 + 0.5
    D.zero_grad()
    loss_real = criterion(D(real).view(-1), torch.full((6,), 0.9))
    loss_real.backward()
    fake = G(torch.randn(6, 4))
    loss_fake = criterion(D(fake.detach()).view(-1), torch.zeros(6))
    loss_fake.backward()
    loss_d = loss_real + loss_fake
    optimizer_d.step()
    G.zero_grad()
    loss_g = criterion(D(fake).view(-1), torch.ones(6))
    loss_g.backward()
    optimizer_g.step()
    history.append((loss_d.item(), loss_g.item()))
    if turn % 2 == 0:
        with torch.no_grad():
            G.eval()
            samples = G(fixed).detach()
            G.train()
