"""Each backward() has a forward pass of its own. To go back through the same graph twice, pass `retain_graph=True` to
the first backward()."""

import autograd_lab as torch

w = torch.tensor(2.0, requires_grad=True)
y = w * w
y.backward()
y = w * w
y.backward()
