"""What is computed before requires_grad_() has no history, so w is a leaf."""

import autograd_lab as torch

torch.manual_seed(0)
w = torch.randn(3) * 0.01
w.requires_grad_()
loss = (w - 1).pow(2).sum()
loss.backward()
print(w.grad)
