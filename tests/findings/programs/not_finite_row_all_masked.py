"""warning: not-finite

The softmax of a row that is masked as a whole is NaN

The mask leaves out the diagonal as well, so nothing is left for the first row but -inf.
"""

import autograd_lab as torch

torch.manual_seed(0)
scores = torch.randn(3, 3, requires_grad=True)
mask = torch.ones(3, 3).tril(-1) == 0
masked = scores.masked_fill(mask, float("-inf"))
weights = torch.softmax(masked, -1)  # <-- here
loss = (weights @ torch.randn(3, 2)).pow(2).sum()
loss.backward()
# remedy: one entry of each row unmasked
