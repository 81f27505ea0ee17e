import autograd_lab as torch

torch.manual_seed(0)
encoder, decoder = torch.nn.Linear(4, 4), torch.nn.Linear(2, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for _ in range(3):
    x = torch.rand(5, 4)
    mean, log_variance = encoder(x).chunk(2, 1)
    z = mean + torch.randn(5, 2) * (0.5 * log_variance).exp()
    divergence = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(1).mean()
    loss = torch.nn.functional.mse_loss(decoder(z), x) + 0.01 * divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
