"""error: nothing-to-differentiate

A checkpoint with use_reentrant=True whose inputs do not require grad

A reentrant checkpoint looks only at its inputs to decide whether it takes part in the backward pass. The parameters
inside do not count.
"""

import autograd_lab as torch

torch.manual_seed(0)
layer = torch.nn.Linear(2, 2)
x = torch.randn(3, 2)
y = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=True)  # <-- here
loss = y.sum()
loss.backward()
# remedy: `use_reentrant=False`
