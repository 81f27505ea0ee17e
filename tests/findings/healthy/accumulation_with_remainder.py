import torch

torch.manual_seed(0)
model = torch.nn.Conv1d(1, 2, 3)
optimizer = torch.optim.RAdam(model.parameters())
scaler = torch.amp.GradScaler("cpu", enabled=False)
for number in range(7):
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(torch.randn(2, 1, 8)).float().pow(2).mean() / 3
    scaler.scale(loss).backward()
    if number % 3 == 2 or number == 6:
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
