"""error: second-backward

backward() is called twice

The first backward() frees what the graph has saved as it goes, to save memory. The second finds nothing to compute
with.
"""

import autograd_lab as torch

w = torch.tensor(2.0, requires_grad=True)
y = w * w
y.backward()  # <-- here
y.backward()
