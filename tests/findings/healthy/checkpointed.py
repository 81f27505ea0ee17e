import autograd_lab as torch

torch.manual_seed(0)
first, second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
for _ in range(3):
    hidden = torch.utils.checkpoint.checkpoint(lambda x: torch.tanh(first(x)), torch.randn(4, 3), use_reentrant=False)
    loss = second(hidden).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
