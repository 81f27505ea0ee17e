"""warning: not-finite

The loss is NaN: a division by a count that is 0

0 / 0 is NaN. A count of 0 is that of a class, or a mask, that happens to be empty in this batch.
"""

import autograd_lab as torch

counts = torch.tensor([0.0, 2.0])
w = torch.tensor([0.0, 1.0], requires_grad=True)
share = w / counts  # <-- here
loss = (share * 2).sum()
loss.backward()
