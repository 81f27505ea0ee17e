"""Stories of backward passes: where they begin, where they end, what arrives and what adds up."""

from __future__ import annotations

from typing import Any

from tests.stories import said


def gradients_accumulate(torch: Any) -> Any:
    """The second pass adds to the same tensor."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    gradient = x.grad
    (x * 3).sum().backward()
    return x.grad, x.grad is gradient, gradient._version


def the_gradient_is_set_to_zero(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for scale in (1.0, 2.0, 3.0):
        (x * scale).sum().backward()
        print(x.grad)
        x.grad.zero_()
    return x.grad


def the_gradient_is_set_to_none(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for scale in (1.0, 2.0, 3.0):
        x.grad = None
        (x * scale).sum().backward()
    return x.grad


def one_tensor_used_three_times(torch: Any) -> Any:
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    y = h + h * x + h.sin()
    y.backward()
    return y, x.grad


def paths_of_different_length(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    a = x**2
    b = a.exp()
    c = b.log()
    d = c * a
    y = d + x
    y.backward()
    return y, x.grad


def a_vector_wants_weights(torch: Any) -> Any:
    """Without `gradient=` only a scalar can go back; with it, its product with the Jacobian comes out."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * x
    try:
        y.backward()
    except RuntimeError as error:
        message = said(error)
    v = torch.tensor([1.0, 0.0, 10.0])
    y.backward(v)
    return message, x.grad


def weights_are_a_weighted_sum(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = torch.tensor([0.5, -1.0, 2.0])
    y = x.exp()
    y.backward(v, retain_graph=True)
    directly = x.grad.clone()
    x.grad = None
    (y * v).sum().backward()
    return directly, x.grad


def a_jacobian_row_by_row(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.stack([x[0] * x[1], x[0] ** 2, x[1].exp()])
    rows = []
    for unit in torch.eye(3):
        (row,) = torch.autograd.grad(y, x, unit, retain_graph=True)
        rows.append(row)
    return torch.stack(rows)


def two_losses_one_body(torch: Any) -> Any:
    """The second loss fails unless the first one retained what they share."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    first = h.sum()
    second = (h * 2).mean()
    first.backward()
    second.backward()


def two_losses_retained(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    first = h.sum()
    second = (h * 2).mean()
    first.backward(retain_graph=True)
    second.backward()
    return x.grad


def two_losses_added(torch: Any) -> Any:
    """Nothing need be retained, and the gradient is the same."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    first = h.sum()
    second = (h * 2).mean()
    (first + second).backward()
    return x.grad


def two_roots_in_one_pass(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x.exp()
    first = h.sum()
    second = h * 3
    torch.autograd.backward([first, second], [None, torch.tensor([1.0, -1.0])])
    return x.grad


def a_pass_for_one_input_only(torch: Any) -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    y = a * b + b**2
    y.backward(inputs=[b])
    return a.grad, b.grad


def gradients_that_are_returned(torch: Any) -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    h = a * b
    y = h.sin() + a
    to_a, to_h = torch.autograd.grad(y, [a, h])
    return to_a, to_h, a.grad


def an_input_that_was_not_used(torch: Any) -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    y = a * a
    try:
        torch.autograd.grad(y, [a, b], retain_graph=True)
    except RuntimeError as error:
        message = said(error)
    to_a, to_b = torch.autograd.grad(y, [a, b], retain_graph=True, allow_unused=True)
    _, zeros = torch.autograd.grad(y, [a, b], materialize_grads=True)
    return message, to_a, to_b, zeros


def a_gradient_on_the_way_is_kept(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    h.retain_grad()
    y = (h * h).sum()
    y.backward()
    return h.grad, x.grad


def a_kept_gradient_accumulates_too(torch: Any) -> Any:
    """3, then 6; what flows on stays right."""
    x = torch.tensor(2.0, requires_grad=True)
    h = x * 4
    h.retain_grad()
    y = h * 3
    y.backward(retain_graph=True)
    first = h.grad.clone()
    y.backward()
    return first, h.grad, x.grad


def a_gradient_that_was_not_kept(torch: Any) -> Any:
    """None and a warning; to keep that of a leaf changes nothing; of a constant it is refused."""
    x = torch.tensor(2.0, requires_grad=True)
    h = x * 3
    y = h * h
    x.retain_grad()
    y.backward()
    missing = h.grad
    constant = torch.tensor(1.0)
    try:
        constant.retain_grad()
    except RuntimeError as error:
        message = said(error)
    return missing, x.grad, message


def what_is_a_leaf(torch: Any) -> Any:
    """What requires no gradient is a leaf; a leaf in another dtype is none."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    k = torch.tensor([1.0, 2.0])
    wide = x.double()
    w = x - 0.1 * x
    (wide.sum() + w.sum()).backward()
    return [t.is_leaf for t in (x, k, k * 2, wide, w, x.detach())], x.grad


def a_leaf_is_lost(torch: Any) -> Any:
    """`w = w - lr * w.grad` makes a tensor that is no leaf, and the second gradient does not arrive."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        loss = (w**2).sum()
        loss.backward()
        w = w - 0.1 * w.grad


def a_root_that_is_a_leaf(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    x.backward()
    x.backward(torch.tensor(3.0))
    return x.grad


def a_gradient_of_one_element(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x @ x
    y[0, 1].backward()
    return y, x.grad


def a_deep_chain(torch: Any) -> Any:
    x = torch.tensor(1.0, requires_grad=True)
    h = x
    for _ in range(12):
        h = h * 1.1
    h.backward()
    return h, x.grad


def an_integer_stays_outside(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    n = torch.tensor([1, 2, 3])
    y = x * n
    above = y > 2
    loss = y[above].sum()
    loss.backward()
    return above.requires_grad, n.grad, x.grad
