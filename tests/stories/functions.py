"""Stories of operators of one's own: `torch.autograd.Function` in all its forms."""

from __future__ import annotations

from typing import Any


def a_square_of_ones_own(torch: Any) -> Any:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = Square.apply(x)
    loss = y.sum()
    loss.backward()
    return y.grad_fn.name(), x.grad


def an_attribute_is_kept(torch: Any) -> Any:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.factor, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Scale.apply(x, 3.0)
    y.sum().backward()
    y.sum().backward()
    return x.grad


def a_function_goes_back_once(torch: Any) -> Any:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 3 * x**2 * grad

    x = torch.tensor(2.0, requires_grad=True)
    y = Cube.apply(x)
    y.backward()
    y.backward()


def a_function_written_in_place(torch: Any) -> Any:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            x.mul_(2)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x + 1
    y = Double.apply(h)
    (y * y).sum().backward()
    return y is h, h._version, x.grad


def a_function_of_two_outputs(torch: Any) -> Any:
    class SumAndProduct(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a + b, a * b

        @staticmethod
        def backward(ctx: Any, to_sum: Any, to_product: Any) -> Any:
            a, b = ctx.saved_tensors
            return to_sum + to_product * b, to_sum + to_product * a

    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    total, product = SumAndProduct.apply(a, b)
    loss = total.sum() + (product * product).sum()
    loss.backward()
    return total.output_nr, product.output_nr, a.grad, b.grad


def only_one_output_is_used(torch: Any) -> Any:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, to_double: Any, to_triple: Any) -> Any:
            return 2 * to_double + 3 * to_triple

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    _, triple = Both.apply(x)
    triple.sum().backward()
    return x.grad


def an_output_without_gradient(torch: Any) -> Any:
    class SortedWithPlaces(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            values, places = x.sort()
            ctx.mark_non_differentiable(places)
            ctx.save_for_backward(places)
            return values, places

        @staticmethod
        def backward(ctx: Any, grad: Any, _: Any) -> Any:
            (places,) = ctx.saved_tensors
            back = torch.zeros_like(grad)
            back[places] = grad
            return back

    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    values, places = SortedWithPlaces.apply(x)
    (values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    return places.requires_grad, x.grad


def a_function_that_saves_its_result(torch: Any) -> Any:
    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (result,) = ctx.saved_tensors
            return grad * result

    x = torch.tensor([0.0, 1.0], requires_grad=True)
    y = Exponential.apply(x)
    y.add_(1)
    y.sum().backward()


def a_gradient_only_where_it_is_needed(torch: Any) -> Any:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            a, b = ctx.saved_tensors
            to_a = grad * b if ctx.needs_input_grad[0] else None
            to_b = grad * a if ctx.needs_input_grad[1] else None
            return to_a, to_b

    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0])
    Product.apply(a, b).sum().backward()
    return a.grad, b.grad


def a_function_differentiated_once(torch: Any) -> Any:
    once = torch.autograd.function.once_differentiable

    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        @once
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * x.cos()

    x = torch.tensor(1.0, requires_grad=True)
    (first,) = torch.autograd.grad(Sine.apply(x), x, create_graph=True)
    first.backward()


def a_function_differentiated_twice(torch: Any) -> Any:
    class Sine(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * x.cos()

    x = torch.tensor(1.0, requires_grad=True)
    (first,) = torch.autograd.grad(Sine.apply(x), x, create_graph=True)
    first.backward()
    return first, x.grad
