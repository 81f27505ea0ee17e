"""A mixture of experts: the input chooses which one computes, and only that one learns. The input is an argument."""

import sys

import autograd_lab as torch

x = torch.tensor(float(sys.argv[1]) if sys.argv[1:] else 1.0)
router = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
line = torch.tensor(0.5, requires_grad=True)
curve = torch.tensor(0.5, requires_grad=True)
wave = torch.tensor(0.5, requires_grad=True)
experts = [lambda x: line * x, lambda x: curve * x * x + 1, lambda x: torch.sin(wave * x)]

shares = torch.softmax(router * x - torch.tensor([0.0, -1.0, 0.0]), 0)
chosen = int(shares.argmax())
y = shares[chosen] * experts[chosen](x)
y.backward()
print("expert", chosen, y, [w.grad for w in (line, curve, wave)])
