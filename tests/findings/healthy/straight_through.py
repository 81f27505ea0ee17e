import autograd_lab as torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(3, 2), torch.nn.Linear(2, 3)
codes = torch.nn.Embedding(4, 2)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), *codes.parameters()], lr=0.01)
for _ in range(3):
    x = torch.randn(6, 3)
    z = encoder(x)
    nearest = ((z.unsqueeze(1) - codes.weight) ** 2).sum(2).argmin(1)
    quantized = codes(nearest)
    passed = z + (quantized - z).detach()
    loss = (decoder(passed) - x).pow(2).mean() + (quantized - z.detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
