"""warning: leaf-replaced

w = w - lr * w.grad: w.grad is None in the second iteration

This line does not change `w`: it computes a new tensor and gives it the name. The new one is no leaf, so it gets no
`.grad`.
"""

import autograd_lab as torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
w = w - 0.1 * w.grad  # <-- here
loss = (w * w).sum()
loss.backward()
# remedy: w -= lr * w.grad
