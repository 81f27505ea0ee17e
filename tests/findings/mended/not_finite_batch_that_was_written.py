"""What is not finite is left out."""

import autograd_lab as torch

data = torch.randn(16, 2)
x = data[torch.tensor([3, 0, 9, 2])]
x[1, 0] = float("nan")
model = torch.nn.Linear(2, 1)
loss = model(x[torch.isfinite(x).all(1)]).pow(2).mean()
loss.backward()
