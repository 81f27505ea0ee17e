"""warning: grad-of-a-result

w = torch.randn(..., requires_grad=True) * 0.01

The leaf is what randn() gives. `w` is the product, which is computed: it has a grad_fn, and its .grad stays None.
"""

import autograd_lab as torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True) * 0.01
loss = (w - 1).pow(2).sum()
loss.backward()
print(w.grad)  # <-- here
# remedy: w.requires_grad_()
