"""warning: weights-shared

best = model.state_dict() keeps no copy

state_dict() gives the weights themselves. They go on changing, and in the end `best` holds the last ones.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
least = float("inf")
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if loss.item() < least:
        least = loss.item()
        best = model.state_dict()  # <-- here
model.load_state_dict(best)
# remedy: copy.deepcopy(model.state_dict())
