"""What is detached refers to numbers alone."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
outputs = []
for _ in range(5):
    output = model(torch.randn(4, 2))
    optimizer.zero_grad()
    output.pow(2).mean().backward()
    optimizer.step()
    outputs.append(output.detach())
