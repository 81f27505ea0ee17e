"""Under no_grad() nothing is recorded either, and the result can be used in a graph."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    features = torch.ones(2) * 3
(w * features).sum().backward()
