"""The numbers are float32, in which exp(12) has room. For speed, torch.autocast takes float16 only where that is
safe."""

import autograd_lab as torch

x = torch.tensor([12.0, 1.0], requires_grad=True)
y = x.exp()
y.sum().backward()
