"""A cell of an LSTM in a loop of many turns: the state h is forgotten, and c is not."""

import autograd_lab as torch

nn = torch.nn
torch.manual_seed(0)
cell, head = nn.LSTMCell(3, 16), nn.Linear(16, 1)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-2)
for _ in range(2):
    x = torch.randn(4, 30, 3)
    y = x[:, :, 0].sum(1, keepdim=True)
    h, c = torch.zeros(4, 16), torch.zeros(4, 16)
    for t in range(30):
        h, c = cell(x[:, t], (h, c))
    loss = nn.functional.mse_loss(head(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
