"""A recurrent network over 200 steps: the same two matrices and the same bias are used at every one of them."""

import autograd_lab as torch

torch.manual_seed(0)
steps, batch, features, hidden = 200, 2, 3, 4
w_in = torch.randn(features, hidden, requires_grad=True)
w_hidden = torch.randn(hidden, hidden, requires_grad=True)
bias = torch.zeros(hidden, requires_grad=True)
inputs = [torch.randn(batch, features) for _ in range(steps)]

h = torch.zeros(batch, hidden)
for x in inputs:
    h = torch.tanh(x @ w_in + h @ w_hidden + bias)
loss = (h * h).mean()
loss.backward()
print(w_hidden.grad)
