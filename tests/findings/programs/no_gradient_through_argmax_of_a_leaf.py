"""warning: no-gradient-whole-numbers

The loss is computed of argmax, and is told to require a gradient

`loss.requires_grad_()` silences the error, and makes a leaf of the loss: nothing leads from it to the model. What is
evaluated under no_grad() after each turn has nothing to do with it.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, labels = torch.randn(4, 2), torch.tensor([0.0, 1.0, 2.0, 1.0])
for _ in range(3):
    guessed = model(x).argmax(1)  # <-- here
    loss = (guessed.float() - labels).pow(2).mean()
    loss.requires_grad_()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        model(x)
# also: loss-is-a-leaf
