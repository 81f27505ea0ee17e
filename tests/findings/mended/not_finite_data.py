"""NaNs are replaced before the data goes into the model."""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
x = torch.tensor([[1.0, float("nan")]]).nan_to_num()
model(x).sum().backward()
