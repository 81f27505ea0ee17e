import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    place = model(torch.randn(4, 2))
    others = place.detach().squeeze(1)
    loss = ((place - others) ** 2).mean() + ((place - place.squeeze(1)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
