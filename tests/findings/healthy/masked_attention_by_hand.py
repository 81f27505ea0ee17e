import autograd_lab as torch

torch.manual_seed(0)
q, k, v = (torch.nn.Linear(4, 4, bias=False) for _ in range(3))
optimizer = torch.optim.SGD([*q.parameters(), *k.parameters(), *v.parameters()], lr=0.1)
mask = torch.tril(torch.ones(3, 3)) == 0
for _ in range(3):
    x = torch.randn(3, 4)
    scores = (q(x) @ k(x).T / 2).masked_fill(mask, float("-inf"))
    loss = (scores.softmax(-1) @ v(x)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
