"""Stories of what nodes save, how long they keep it, and what wants it a second time."""

from __future__ import annotations

from typing import Any

from tests.stories import said


def what_each_node_saves(torch: Any) -> Any:
    """A product saves its factors, a power its input, relu and exp their results, sums nothing."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    product = x * x
    power = x**3
    exponential = x.exp()
    positive = x.relu()
    total = product + power + exponential + positive
    found = [product.grad_fn._saved_self, power.grad_fn._saved_self, exponential.grad_fn._saved_result]
    total.sum().backward()
    return found, x.grad


def which_of_four_survive(torch: Any) -> Any:
    """Sums go back twice, products do not, not even with a number."""
    outcomes = []
    x = torch.tensor(3.0, requires_grad=True)
    for y in (x * x, 3 * x, x + x, x.sum()):
        y.backward()
        try:
            y.backward()
            outcomes.append("again")
        except RuntimeError as error:
            outcomes.append(said(error))
    return outcomes, x.grad


def a_second_backward(torch: Any) -> Any:
    """Uncaught."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    y.backward()
    y.backward()


def a_sum_goes_back_twice(torch: Any) -> Any:
    """Nothing is saved by a sum, a difference, a view, a slice."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (1 - x[1:].view(2, 1)).mean() + x.sum()
    y.backward()
    y.backward()
    return x.grad


def a_product_with_a_number_does_not(torch: Any) -> Any:
    """The number is saved as a tensor, and freed."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x * 3).sum()
    y.backward()
    y.backward()


def what_is_left_after_backward(torch: Any) -> Any:
    """Nodes and edges remain; to read what was saved is the same error as a second backward."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    y = h.sum()
    node = h.grad_fn
    y.backward()
    try:
        node._saved_self  # noqa: B018 - to look is enough
    except RuntimeError as error:
        message = said(error)
    return message, h.grad_fn is node, y.grad_fn.next_functions[0][0] is node


def retained_once(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x**3).sum()
    y.backward(retain_graph=True)
    first = x.grad.clone()
    y.backward()
    return first, x.grad


def retained_too_late(torch: Any) -> Any:
    """`retain_graph` on the second call does not bring back what the first one freed."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x**3).sum()
    y.backward()
    y.backward(retain_graph=True)


def retained_three_times(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp() * x
    for _ in range(3):
        y.backward(retain_graph=True)
    return x.grad


def only_what_ran_is_freed(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a = x * x
    b = a * a
    (to_a,) = torch.autograd.grad(b.sum(), a)
    still_there = a.grad_fn._saved_self is x
    a.sum().backward()
    return to_a, still_there, x.grad


def the_saved_input_is_the_input(torch: Any) -> Any:
    """An input that was saved is the very tensor, a result that was saved is another one."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    z = x.exp()
    same = y.grad_fn._saved_self is x
    other = z.grad_fn._saved_result is z
    (y + z).sum().backward()
    return same, other, x.grad


def a_saved_dimension(torch: Any) -> Any:
    """A negative dimension is saved as a very large number."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x.sum(-1)
    saved = y.grad_fn._saved_dim
    y.sum().backward()
    return saved, x.grad


def versions_of_what_is_saved(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    h.add_(1)
    y = h * h
    version = h._version
    y.sum().backward()
    return version, x.grad


def an_input_that_nothing_else_keeps(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x + 1
    y = h * h
    del h
    y.sum().backward()
    return x.grad


def five_losses_in_a_list(torch: Any) -> Any:
    """A list of losses keeps five graphs alive."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    history = []
    for step in range(5):
        loss = (w * step).square().sum()
        loss.backward()
        history.append(loss)
    return [loss.grad_fn.name() for loss in history], w.grad


def a_total_that_remembers(torch: Any) -> Any:
    """`total += loss` after backward still keeps the nodes of all."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    total = 0
    for step in range(4):
        loss = (w * step).square().sum()
        loss.backward()
        total += loss
    return total, total.grad_fn.name(), w.grad


def a_total_of_numbers(torch: Any) -> Any:
    """`.item()` keeps nothing but a number."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    total = 0.0
    for step in range(4):
        loss = (w * step).square().sum()
        loss.backward()
        total += loss.item()
    return total, w.grad


def printed_on_the_way(torch: Any) -> Any:
    """`print` writes `tensor(4.)`, a formatted text of one number is that number."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    print(y)
    y.backward()
    print(x.grad)
    print(f"gradient: {x.grad}")
