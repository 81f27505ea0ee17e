"""The forward pass runs again, with the weights as they are after the step."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
out = model(torch.ones(4, 2))
out.mean().backward()
optimizer.step()
optimizer.zero_grad()
model(torch.ones(4, 2)).sum().backward()
