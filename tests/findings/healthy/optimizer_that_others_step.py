import autograd_lab as torch


def learn(optimizers, loss):
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()  # they are stepped later, where all gradients are there


torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(3):
    learn([optimizer], model(torch.randn(4, 2)).pow(2).mean())
