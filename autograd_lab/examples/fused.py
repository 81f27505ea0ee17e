"""A chain over a million numbers: compiled, it is one loop over tiles that stay in the cache."""

import autograd_lab as torch


@torch.compile
def chain(x):
    y = x * 1.5 + 0.5
    y = (y * x - 2).relu()
    half = y / 2
    return (half + x) * (y / 2)


x = torch.randn(1_000_000, requires_grad=True)
for _ in range(5):
    chain(x).sum().backward()
print(x.grad.mean())
