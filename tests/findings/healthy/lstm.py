import autograd_lab as torch

torch.manual_seed(0)
lstm, out = torch.nn.LSTM(3, 5, batch_first=True), torch.nn.Linear(5, 1)
optimizer = torch.optim.Adam([*lstm.parameters(), *out.parameters()], lr=0.01)
state = None
for _ in range(3):
    hidden, state = lstm(torch.randn(2, 4, 3), state)
    state = tuple(part.detach() for part in state)
    loss = out(hidden[:, -1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
