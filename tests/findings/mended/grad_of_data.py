"""The input asks for a gradient before it goes into the model."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
x = torch.randn(3, 2, requires_grad=True)
model(x).sum().backward()
print(x.grad)
