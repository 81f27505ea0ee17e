"""warning: leaf-replaced

params = [p - lr * p.grad for p in params]

The comprehension makes new tensors, which are computed and keep no .grad. In the next turn `p.grad` is None.
"""

import autograd_lab as torch

params = [torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)]
for _ in range(2):
    loss = (params[0] * params[1] - 3).pow(2).sum()
    loss.backward()
    if params[0].grad is None:
        break
    params = [p - 0.1 * p.grad for p in params]  # <-- here
# remedy: p -= lr * p.grad
