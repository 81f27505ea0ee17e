"""warning: not-finite

exp() is inf, and inf / inf is NaN: softmax by hand

exp(100) is larger than the largest float32, which is about 3.4e38, and becomes inf.
"""

import autograd_lab as torch

torch.manual_seed(0)
w = torch.tensor([100.0, 1.0], requires_grad=True)
e = w.exp()  # <-- here
loss = (e / e.sum()).sum()
loss.backward()
