"""error: nothing-to-differentiate

torch.set_grad_enabled(False) in the evaluation, and never True again

The call switches recording off for all that follows, not for the function alone: the second epoch has no history.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def evaluate():
    torch.set_grad_enabled(False)  # <-- here
    return model(torch.randn(4, 2)).mean().item()


for _ in range(2):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    evaluate()
# remedy: `with torch.no_grad():`
