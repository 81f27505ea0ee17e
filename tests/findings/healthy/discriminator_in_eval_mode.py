import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
G = torch.nn.Linear(2, 3)
D = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
opt_G, opt_D = torch.optim.SGD(G.parameters(), lr=0.01), torch.optim.SGD(D.parameters(), lr=0.01)
for _ in range(3):
    fake = G(torch.randn(4, 2))
    D.train()
    loss = F.softplus(D(fake.detach())).mean() + F.softplus(-D(torch.randn(4, 3))).mean()
    opt_D.zero_grad()
    loss.backward()
    opt_D.step()
    D.eval()
    for _ in range(2):
        loss = F.softplus(-D(G(torch.randn(4, 2)))).mean()
        opt_G.zero_grad()
        loss.backward()
        opt_G.step()
