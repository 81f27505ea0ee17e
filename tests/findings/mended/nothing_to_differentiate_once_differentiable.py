"""backward() is recorded, since nothing forbids it."""

import autograd_lab as torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


x = torch.tensor(3.0, requires_grad=True)
(slope,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
slope.backward()
