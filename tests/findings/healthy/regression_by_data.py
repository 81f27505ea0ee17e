import autograd_lab as torch

w = torch.tensor([0.5, -0.5], requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
for _ in range(6):
    loss = ((x @ w - 1) ** 2).mean()
    loss.backward()
    w.data -= 0.01 * w.grad.data
    w.grad = None
