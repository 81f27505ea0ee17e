"""warning: gradients-add-up

optimizer.zero_grad() is missing from the training loop

backward() adds to `.grad`. Without zero_grad(), the second step uses the gradients of the first turn once more, the
third those of two turns, and so on.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, target = torch.randn(4, 2), torch.randn(4, 1)
for _ in range(3):
    loss = ((model(x) - target) ** 2).mean()
    loss.backward()  # <-- here
    optimizer.step()
# remedy: `optimizer.zero_grad()`
