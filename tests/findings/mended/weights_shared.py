"""Each turn of the comprehension makes a layer of its own."""

import autograd_lab as torch

torch.manual_seed(0)
layers = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(3)], torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
for _ in range(2):
    loss = layers(torch.ones(2, 4)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
