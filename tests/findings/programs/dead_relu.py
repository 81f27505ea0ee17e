"""warning: dead-relu

A ReLU outputs only zeros, and the layer before it stops learning

Where the input of a ReLU is negative, its output is zero, and so is its slope. With a bias of -100 that is so for every
input: no gradient gets past the ReLU, and nothing can bring the bias back. A single step with a large learning rate can
do this as well.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
with torch.no_grad():
    model[0].bias.fill_(-100.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    loss = (model(torch.randn(4, 2)) - 1).pow(2).mean()  # <-- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
