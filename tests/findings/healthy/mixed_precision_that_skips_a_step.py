import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127, growth_interval=1000, backoff_factor=2.0**-60)
for _ in range(5):
    loss = (model(torch.randn(5, 3)) * 100).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
