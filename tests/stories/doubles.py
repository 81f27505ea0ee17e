"""Stories of gradients of gradients."""

from __future__ import annotations

from typing import Any

from tests.stories import said


def a_cube_twice(torch: Any) -> Any:
    """With `create_graph` the gradient has a history of its own: 12, and 12 again."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return first, first.requires_grad, second


def a_cube_three_times(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x * x
    found = []
    for _ in range(3):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        found.append(y)
    return found


def retained_is_not_created(torch: Any) -> Any:
    """`retain_graph` keeps the old graph and makes no new one."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    (first,) = torch.autograd.grad(y, x, retain_graph=True)
    try:
        torch.autograd.grad(first, x)
    except RuntimeError as error:
        return said(error), first.requires_grad


def backward_that_creates_a_graph(torch: Any) -> Any:
    """It warns that `.grad` and its graph keep each other alive."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    y.backward(create_graph=True)
    gradient = x.grad
    x.grad = None
    gradient.backward()
    return gradient, x.grad


def a_product_with_the_hessian(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, -1.0])
    y = (x**3).sum() + x[0] * x[1]
    (gradient,) = torch.autograd.grad(y, x, create_graph=True)
    (product,) = torch.autograd.grad(gradient, x, v)
    return gradient, product


def a_hessian_row_by_row(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x[0] ** 2 * x[1] + x[1].exp()
    (gradient,) = torch.autograd.grad(y, x, create_graph=True)
    rows = [torch.autograd.grad(part, x, retain_graph=True)[0] for part in gradient]
    return torch.stack(rows)


def a_penalty_on_the_gradient(torch: Any) -> Any:
    w = torch.tensor([0.5, -0.5], requires_grad=True)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    critic = torch.tanh(w * x).sum()
    (to_x,) = torch.autograd.grad(critic, x, create_graph=True)
    penalty = (to_x.norm() - 1) ** 2
    loss = critic + 10 * penalty
    loss.backward()
    return penalty, w.grad, x.grad


def a_step_of_newton(torch: Any) -> Any:
    x = torch.tensor(3.0, requires_grad=True)
    for _ in range(3):
        y = x**2 - 2 * x.exp().log() + x.cos()
        (first,) = torch.autograd.grad(y, x, create_graph=True)
        (second,) = torch.autograd.grad(first, x)
        with torch.no_grad():
            x -= first / second
    return x, x._version


def a_step_inside_a_step(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    x = torch.tensor([1.0, -1.0])
    inner = ((w * x).sum() - 1) ** 2
    (to_w,) = torch.autograd.grad(inner, w, create_graph=True)
    adapted = w - 0.1 * to_w
    outer = ((adapted * x).sum() + 1) ** 2
    outer.backward()
    return adapted, w.grad


def second_gradients_of_curves(torch: Any) -> Any:
    x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
    y = torch.sigmoid(x).sum() + torch.tanh(x).sum() + x.log().sum()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    first.sum().backward()
    return first, x.grad


def a_gradient_that_is_constant(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (3 * x).sum()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    try:
        first.sum().backward()
    except RuntimeError as error:
        return said(error), first


def mixed_second_gradients(torch: Any) -> Any:
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(2.0, requires_grad=True)
    f = (x * y).sin() + x / y
    to_x, to_y = torch.autograd.grad(f, [x, y], create_graph=True)
    (xy,) = torch.autograd.grad(to_x, y, retain_graph=True)
    (yx,) = torch.autograd.grad(to_y, x)
    return xy, yx


def a_curvature_without_the_hessian(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x**4).sum()
    (gradient,) = torch.autograd.grad(y, x, create_graph=True)
    steepness = (gradient**2).sum()
    steepness.backward()
    return gradient, steepness, x.grad


def two_gradients_through_relu(torch: Any) -> Any:
    x = torch.tensor([-1.0, 1.0, 2.0], requires_grad=True)
    y = (x.relu() ** 2).sum()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (first**2).sum().backward()
    return first, x.grad
