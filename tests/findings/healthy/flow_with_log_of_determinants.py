import torch

torch.manual_seed(0)
scale, shift = torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.zeros(2))
mixing = torch.nn.Parameter(torch.eye(2) + 0.1 * torch.randn(2, 2))
optimizer = torch.optim.Adam([scale, shift, mixing], lr=0.01)
for _ in range(4):
    x = torch.randn(16, 2) * 2 + 1
    z = ((x - shift) * torch.exp(-scale)) @ mixing
    loss = 0.5 * z.pow(2).sum(1).mean() + scale.sum() - torch.linalg.slogdet(mixing)[1]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
