"""error: saved-value-overwritten

optimizer.step() between two backward() through the same forward pass

The step writes to the weights in place, and the graph of `out` has saved them. It is a common error in GANs, where two
optimizers take turns.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
out = model(torch.ones(4, 2))
out.mean().backward(retain_graph=True)
optimizer.step()  # <-- here
out.sum().backward()
# remedy: before the optimizer's step()
