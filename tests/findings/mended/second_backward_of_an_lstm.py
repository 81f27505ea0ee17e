"""What is carried over is cut off from its history, each of the two tensors."""

import autograd_lab as torch

torch.manual_seed(0)
lstm, head = torch.nn.LSTM(2, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([*lstm.parameters(), *head.parameters()], lr=0.1)
hidden = (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
for _ in range(3):
    hidden = tuple(h.detach() for h in hidden)
    out, hidden = lstm(torch.randn(4, 1, 2), hidden)
    loss = head(out).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
