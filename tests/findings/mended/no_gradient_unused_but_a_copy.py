"""The inner step is recorded, and the model is called with the weights that it gives."""

import autograd_lab as torch
from autograd_lab.func import functional_call

torch.manual_seed(0)
model = torch.nn.Linear(1, 1)
meta_optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    x, slope = torch.randn(8, 1), torch.randn(1)
    weights = dict(model.named_parameters())
    first = (model(x) - slope * x).pow(2).mean()
    slopes = torch.autograd.grad(first, list(weights.values()), create_graph=True)
    weights = {name: w - 0.1 * g for (name, w), g in zip(weights.items(), slopes, strict=True)}
    loss = (functional_call(model, weights, (x,)) - slope * x).pow(2).mean()
    meta_optimizer.zero_grad()
    loss.backward()
    meta_optimizer.step()
