"""warning: weights-shared

[nn.Linear(4, 4)] * 3 is one layer, three times

`*` repeats a list without copying what is in it. The three layers are the same object: they share one weight, and the
model is smaller than it looks.
"""

import autograd_lab as torch

torch.manual_seed(0)
layers = torch.nn.Sequential(*[torch.nn.Linear(4, 4)] * 3, torch.nn.Linear(4, 1))  # <-- here
optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
for _ in range(2):
    loss = layers(torch.ones(2, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: for _ in range(n)
