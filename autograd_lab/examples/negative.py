"""A function with an if, for a negative input; `positive` is the same program, and takes the other way."""

import autograd_lab as torch


def f(x):
    if x > 0:
        h = x**2
    else:
        u = -x
        h = u.exp()
    return 3 * h + 1


x = torch.tensor(-2.0, requires_grad=True)
y = f(x)
y.backward()
print(y, x.grad)
