"""warning: clipping-nothing

params = model.parameters() is given to the optimizer and to clip_grad_norm_

parameters() is a generator: it gives each parameter once. The optimizer has taken them all, and none is left to be
clipped.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
params = model.parameters()
optimizer = torch.optim.SGD(params, lr=0.1)
for _ in range(3):
    loss = model(torch.randn(4, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)  # <-- here
    optimizer.step()
# remedy: `params = list(model.parameters())`
