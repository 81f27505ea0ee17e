import autograd_lab as torch

torch.manual_seed(0)
w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
optimizer = torch.optim.SGD([w], lr=0.1)


def closure():
    optimizer.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    return loss


for _ in range(4):
    optimizer.step(closure)
