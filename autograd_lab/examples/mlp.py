"""One training step of a small network: 2 inputs, 3 hidden units, 1 output, mean squared error, plain SGD."""

import autograd_lab as torch

torch.manual_seed(3)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
target = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
w1 = torch.randn(2, 3, requires_grad=True)
b1 = torch.zeros(3, requires_grad=True)
w2 = torch.randn(3, 1, requires_grad=True)
b2 = torch.zeros(1, requires_grad=True)

hidden = torch.relu(x @ w1 + b1)
output = hidden @ w2 + b2
loss = ((output - target) ** 2).mean()
loss.backward()

with torch.no_grad():
    for weight in (w1, b1, w2, b2):
        weight -= 0.1 * weight.grad
        weight.grad = None
print(loss.item())
