"""warning: graph-kept-alive

Memory grows with losses.append(loss)

Each `loss` in the list keeps its graph alive. backward() has freed what the graph had saved, but not its nodes.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for _ in range(4):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss)  # <-- here
# remedy: `losses.append(loss.item())`
