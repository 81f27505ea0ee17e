"""With a small learning rate the weight gets closer to the minimum in each step."""

import autograd_lab as torch

w = torch.nn.Parameter(torch.tensor([10.0]))
optimizer = torch.optim.SGD([w], lr=1e-4)
for _ in range(6):
    loss = (w**4).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
