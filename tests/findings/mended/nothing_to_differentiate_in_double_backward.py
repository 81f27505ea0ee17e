"""backward() computes with `x` itself."""

import autograd_lab as torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 2 * x * gradient


x = torch.tensor(3.0, requires_grad=True)
y = Square.apply(x)
(slope,) = torch.autograd.grad(y, x, create_graph=True)
(curvature,) = torch.autograd.grad(slope, x)
