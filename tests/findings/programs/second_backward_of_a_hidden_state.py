"""error: second-backward

A hidden state is carried over from one iteration to the next

`hidden` leads back to the graph of the turn before, whose backward() has freed it.
"""

import autograd_lab as torch

torch.manual_seed(0)
cell = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
hidden = torch.zeros(1, 3)
for _ in range(3):
    hidden = cell(hidden).tanh()
    loss = hidden.sum()
    optimizer.zero_grad()
    loss.backward()  # <-- here
    optimizer.step()
# remedy: `hidden = hidden.detach()`
