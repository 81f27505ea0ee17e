import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.SiLU(), torch.nn.Linear(16, 2))
average = {name: value.clone() for name, value in model.state_dict().items()}
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
betas = torch.linspace(1e-4, 0.02, 10)
kept = torch.cumprod(1 - betas, 0)
for _ in range(4):
    x, t = torch.randn(8, 2), torch.randint(0, 10, (8,))
    noise = torch.randn_like(x)
    noisy = kept[t].sqrt()[:, None] * x + (1 - kept[t]).sqrt()[:, None] * noise
    loss = torch.nn.functional.mse_loss(model(torch.cat([noisy, t[:, None] / 10], 1)), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for name, value in model.state_dict().items():
        average[name].mul_(0.99).add_(value, alpha=0.01)
