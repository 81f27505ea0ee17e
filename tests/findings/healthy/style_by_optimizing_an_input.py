import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh()).requires_grad_(False)
goal = model(torch.randn(1, 4))
picture = torch.randn(1, 4, requires_grad=True)
optimizer = torch.optim.Adam([picture], lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss = (model(picture) - goal).pow(2).sum()
    loss.backward()
    optimizer.step()
