"""error: nothing-to-differentiate

A second derivative of a function that is once_differentiable

The decorator runs backward() without recording it. The gradient is right, and has no history from which a second one
could be computed.
"""

import autograd_lab as torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad  # <-- here


x = torch.tensor(3.0, requires_grad=True)
(slope,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
slope.backward()
# remedy: @once_differentiable
