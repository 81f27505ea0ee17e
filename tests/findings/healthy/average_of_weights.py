import copy

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
average = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(4, 2)).pow(2).mean().backward()
    optimizer.step()
    for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
        slow.data.copy_(0.9 * slow.data + 0.1 * fast.data)
print(average(torch.ones(1, 2)))
