import autograd_lab as torch

torch.manual_seed(0)
body = torch.nn.Linear(3, 4)
heads = torch.nn.ModuleList([torch.nn.Linear(4, 1) for _ in range(2)])
optimizer = torch.optim.SGD([*body.parameters(), *heads.parameters()], lr=0.1)
for number in range(4):
    loss = heads[number % 2](body(torch.randn(4, 3)).relu()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
