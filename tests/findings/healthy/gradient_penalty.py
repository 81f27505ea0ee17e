import autograd_lab as torch

torch.manual_seed(0)
judge = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(judge.parameters(), lr=0.01)
for _ in range(3):
    x = torch.randn(6, 2, requires_grad=True)
    score = judge(x)
    (slope,) = torch.autograd.grad(score.sum(), x, create_graph=True)
    loss = score.mean() + ((slope.norm(2, 1) - 1) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
