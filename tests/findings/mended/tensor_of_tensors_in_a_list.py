"""stack() joins the losses and is recorded."""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
scale = torch.tensor(1.0, requires_grad=True)
losses = []
for turn in range(3):
    losses.append((w * turn).sum())
loss = (torch.stack(losses) * scale).mean()
loss.backward()
