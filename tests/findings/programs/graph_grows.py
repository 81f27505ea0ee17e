"""warning: graph-grows

retain_graph=True in a recurrent loop: each iteration is slower than the one before

`hidden` leads back to the turn before, and that one to the turn before it. With retain_graph=True all of these graphs
are kept, and each backward() goes through all of them. Often it was written to silence the error about a second
backward.
"""

import autograd_lab as torch

torch.manual_seed(0)
cell = torch.nn.Linear(3, 3)
hidden = torch.zeros(1, 3)
for _ in range(4):
    hidden = torch.tanh(cell(hidden))
    loss = hidden.pow(2).sum()
    cell.zero_grad()
    loss.backward(retain_graph=True)  # <-- here
# remedy: `hidden = hidden.detach()`
