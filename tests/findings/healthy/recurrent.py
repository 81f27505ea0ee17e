import autograd_lab as torch

torch.manual_seed(0)
cell, out = torch.nn.Linear(4, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *out.parameters()], lr=0.05)
hidden = torch.zeros(2, 3)
for _ in range(4):
    hidden = hidden.detach()
    total = 0
    for _ in range(3):
        hidden = torch.tanh(cell(torch.cat([hidden, torch.randn(2, 1)], 1)))
        total = total + (out(hidden) - 1).pow(2).mean()
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
