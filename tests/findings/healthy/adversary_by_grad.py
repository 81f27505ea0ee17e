import autograd_lab as torch
from autograd_lab.nn import functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(3):
    x, target = torch.randn(4, 2, requires_grad=True), torch.tensor([0, 1, 2, 0])
    clean = F.cross_entropy(model(x), target)
    slope = torch.autograd.grad(clean, x, retain_graph=True)[0]
    loss = clean + F.cross_entropy(model(x.detach() + 0.1 * slope.sign()), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
