import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(8, 3)
)
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
losses, best = [], float("inf")
for epoch in range(3):
    model.train()
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 3, (6,)))
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    model.eval()
    with torch.no_grad():
        right = (model(torch.randn(6, 4)).argmax(1) == torch.randint(0, 3, (6,))).float().mean()
    print(epoch, right.item())
print(torch.stack(losses).mean())
