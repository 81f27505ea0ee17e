"""warning: step-without-backward

loss.backward() is missing from the training loop

Each step uses the gradients of the only backward() there was, before the loop.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.randn(4, 2)).pow(2).mean().backward()
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.step()  # <-- here
