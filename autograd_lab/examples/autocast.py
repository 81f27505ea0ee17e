"""Inside, a product takes its operands in two bytes a number: the weight is cast once, the loss is in float32 again."""

import autograd_lab as torch

w = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
x = torch.tensor([[1.0, 3.0]])

with torch.autocast("cpu", dtype=torch.float16):
    h = (x @ w).relu()
    y = h @ w
    loss = torch.nn.functional.mse_loss(y, x)
loss.backward()
print(w.grad.dtype, h.dtype)
