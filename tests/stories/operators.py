"""More stories of operators of one's own: lenient ones, wrong ones, and those that take estimates for gradients."""

from __future__ import annotations

from typing import Any

from tests.stories import said


def swish(torch: Any) -> Any:
    class Swish(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            s = torch.sigmoid(x)
            ctx.save_for_backward(x, s)
            return x * s

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            x, s = ctx.saved_tensors
            return grad * (s + x * s * (1 - s))

    x = torch.linspace(-2.0, 2.0, 4, dtype=torch.float64, requires_grad=True)
    y = Swish.apply(x)
    y.sum().backward()
    return y, x.grad


def a_lenient_function(torch: Any) -> Any:
    """A None too many is accepted, and a gradient that broadcasts is summed in silence."""

    class Row(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, row: Any) -> Any:
            return row.expand(3, 2) * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad, None

    row = torch.tensor([[1.0, 2.0]], requires_grad=True)
    y = Row.apply(row)
    y.sum().backward()
    return y, row.grad


def too_few_gradients(torch: Any) -> Any:
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a + b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    a = torch.tensor([1.0], requires_grad=True)
    b = torch.tensor([2.0], requires_grad=True)
    Sum.apply(a, b).sum().backward()


def a_gradient_of_the_wrong_shape(torch: Any) -> Any:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad[:2]

    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    try:
        Same.apply(x).sum().backward()
    except RuntimeError as error:
        return said(error), x.grad


def a_straight_through_estimate(torch: Any) -> Any:
    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.round()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    x = torch.tensor([0.2, 1.7], requires_grad=True)
    y = Round.apply(x * 2)
    (y * y).sum().backward()
    by_function = x.grad
    x.grad = None
    h = x * 2
    y = h + (h.round() - h).detach()
    (y * y).sum().backward()
    return by_function, x.grad


def a_function_that_returns_its_input(torch: Any) -> Any:
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return -grad

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Reverse.apply(x)
    z = (y * 3).sum()
    z.backward()
    return y, x.grad


def a_gradient_that_nobody_sent(torch: Any) -> Any:
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, to_double: Any, to_triple: Any) -> Any:
            print(to_double is None, to_triple is None)
            return 2 * to_double

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    double, _ = Pair.apply(x)
    double.sum().backward()
    return x.grad


def forward_and_setup_apart(torch: Any) -> Any:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            (x,) = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Cube.apply(x)
    y.sum().backward()
    return y, x.grad


def two_functions_in_a_chain(torch: Any) -> Any:
    class Shift(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x + 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    class Inverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return 1 / x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return -grad / x**2

    x = torch.tensor([1.0, 3.0], requires_grad=True)
    shifted = Shift.apply(x)
    y = Inverse.apply(shifted)
    (y * 8).sum().backward()
    return y, x.grad


def a_function_without_gradients(torch: Any) -> Any:
    class Count(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    k = torch.tensor([1.0, 2.0])
    y = Count.apply(k)
    with torch.no_grad():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        z = Count.apply(x)
    return y.requires_grad, z.requires_grad, z.grad_fn
