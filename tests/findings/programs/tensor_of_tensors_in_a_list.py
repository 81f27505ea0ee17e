"""warning: tensor-of-tensors

torch.tensor(losses) of a list of losses

A list of tensors is no tensor of tensors. torch.tensor() copies the numbers in it, and what is computed from those
leads back to nothing.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
scale = torch.tensor(1.0, requires_grad=True)
losses = []
for turn in range(3):
    losses.append((w * turn).sum())
loss = (torch.tensor(losses) * scale).mean()  # <-- here
loss.backward()
# remedy: torch.stack
