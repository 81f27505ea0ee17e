"""error: nothing-to-differentiate

A second derivative through a custom Function

With create_graph=True, what backward() computes is recorded as well. Here it detaches `x`, so the slope does not depend
on `x` any more.
"""

import autograd_lab as torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 2 * x.detach() * gradient  # <-- here


x = torch.tensor(3.0, requires_grad=True)
y = Square.apply(x)
(slope,) = torch.autograd.grad(y, x, create_graph=True)
(curvature,) = torch.autograd.grad(slope, x)
