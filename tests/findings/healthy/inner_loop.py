import autograd_lab as torch

torch.manual_seed(0)
w = torch.nn.Parameter(torch.tensor([1.0, -1.0]))
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    fast = w
    for _ in range(2):
        (gradient,) = torch.autograd.grad((fast * fast).sum(), fast, create_graph=True)
        fast = fast - 0.1 * gradient
    loss = (fast - 1).pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
