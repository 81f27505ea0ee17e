"""warning: graph-kept-alive

outputs.append(output) keeps the graph of each turn

An output refers to all that it was computed from. As long as it is in a list, so is that.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
outputs = []
for _ in range(5):
    output = model(torch.randn(4, 2))
    optimizer.zero_grad()
    output.pow(2).mean().backward()
    optimizer.step()
    outputs.append(output)  # <-- here
# remedy: `outputs.append(output.detach())`
