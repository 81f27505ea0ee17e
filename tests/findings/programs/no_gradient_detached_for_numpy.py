"""warning: no-gradient-detached

A part of the way to the loss is computed by NumPy

NumPy knows nothing of gradients. detach().numpy() silences the error that says so, and the encoder learns nothing.
"""

import numpy as np

import autograd_lab as torch

torch.manual_seed(0)
encoder, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    features = encoder(torch.randn(4, 2))
    limited = torch.from_numpy(np.clip(features.detach().numpy(), -1, 1))  # <-- here
    loss = head(limited).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# remedy: functions of `torch`
