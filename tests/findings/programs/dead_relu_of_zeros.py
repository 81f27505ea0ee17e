"""warning: dead-relu

All weights begin at 0, and only the last bias ever changes

Of weights of 0 comes 0, whatever goes in; a ReLU is flat there. On the way back the zeros of the next layer stop the
gradient as well.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
for layer in (model[0], model[2]):
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    loss = (model(torch.randn(4, 2)) - 1).pow(2).mean()  # <-- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: `nn.init.kaiming_uniform_(model[0].weight)`
