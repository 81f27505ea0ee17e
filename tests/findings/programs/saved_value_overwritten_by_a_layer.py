"""error: saved-value-overwritten

nn.ReLU(inplace=True) after a sigmoid

sigmoid saves its result for backward, and the next layer writes to it. The numbers are the same here, but a write
counts, whatever it changes.
"""

import autograd_lab as torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(2, 3), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True), torch.nn.Linear(3, 1)
)
loss = model(torch.ones(2, 2)).sum()  # <-- here
loss.backward()
# remedy: Leave `inplace=True` out
