"""The layer gives a new tensor."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Sigmoid(), torch.nn.ReLU(), torch.nn.Linear(3, 1))
loss = model(torch.ones(2, 2)).sum()
loss.backward()
