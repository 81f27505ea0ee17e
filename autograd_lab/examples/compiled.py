"""The loss of a network, compiled: forward is one list of numpy calls, backward another; the update is as written."""

import autograd_lab as torch

torch.manual_seed(0)
w1, b1 = torch.randn(2, 3, requires_grad=True), torch.zeros(3, requires_grad=True)
w2, b2 = torch.randn(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
x, target = torch.randn(10, 2), torch.randn(10, 1)


@torch.compile
def loss_of(x, target):
    hidden = (x @ w1 + b1).relu()
    return ((hidden @ w2 + b2 - target) ** 2).mean()


for _ in range(50):
    loss = loss_of(x, target)
    loss.backward()
    with torch.no_grad():
        for weight in (w1, b1, w2, b2):
            weight -= 0.05 * weight.grad
            weight.grad = None
print(loss)
