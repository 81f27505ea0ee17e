"""warning: loss-is-a-leaf

loss = torch.tensor(loss.item(), requires_grad=True)

The new tensor has the number of the loss and none of its history. backward() runs, without an error, and reaches no
parameter. Often the line was written to silence `element 0 of tensors does not require grad`.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    loss = torch.tensor(loss.item(), requires_grad=True)  # <-- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# also: no-gradient-other-way
