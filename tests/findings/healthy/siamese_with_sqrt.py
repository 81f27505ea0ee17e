import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    a, p, n = torch.randn(5, 3), torch.randn(5, 3), torch.randn(5, 3)
    loss = torch.nn.TripletMarginLoss()(net(a), net(p), net(n))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
