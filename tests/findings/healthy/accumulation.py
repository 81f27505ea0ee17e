import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
optimizer.zero_grad()
for number in range(12):
    x, target = torch.randn(4, 3), torch.randint(0, 2, (4,))
    loss = torch.nn.functional.cross_entropy(model(x), target) / 4
    loss.backward()
    if (number + 1) % 4 == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
