"""error: saved-value-overwritten

A hidden state is carried over, and retain_graph=True keeps its graph

`hidden` leads back to the graph of the turn before, which is kept now; but the step has changed the weights in it.
"""

import autograd_lab as torch

torch.manual_seed(0)
cell = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
hidden = torch.zeros(1, 3)
for _ in range(4):
    hidden = cell(hidden).tanh()
    loss = hidden.sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()  # <-- here
# remedy: `hidden = hidden.detach()`
