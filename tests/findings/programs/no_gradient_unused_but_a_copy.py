"""warning: no-gradient-unused

Meta-learning on a deepcopy of the model

The copy has weights of its own, which its optimizer changes where nothing is recorded. The loss after the inner step
leads back to them, and no path leads on to the model that was copied.
"""

import copy

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(1, 1)
meta_optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    x, slope = torch.randn(8, 1), torch.randn(1)
    learner = copy.deepcopy(model)  # <-- here
    optimizer = torch.optim.SGD(learner.parameters(), lr=0.1)
    (learner(x) - slope * x).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    loss = (learner(x) - slope * x).pow(2).mean()
    meta_optimizer.zero_grad()
    loss.backward()
    meta_optimizer.step()
# remedy: `torch.func.functional_call(model, weights, inputs)`
