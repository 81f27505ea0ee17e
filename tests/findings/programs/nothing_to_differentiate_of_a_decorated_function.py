"""error: nothing-to-differentiate

The loss is computed by a function under @torch.no_grad()

The decorator is for predictions. Whoever trains on what predict() returns goes on from numbers without a history.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)


@torch.no_grad()  # <-- here
def predict(x):
    return model(x)


loss = predict(torch.randn(4, 2)).pow(2).mean()
loss.backward()
# remedy: Leave `@torch.no_grad()` out
