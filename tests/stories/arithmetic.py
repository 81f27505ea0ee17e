"""Stories of numbers and the operators between them."""

from __future__ import annotations

from typing import Any


def two_sums_share_a_leaf(torch: Any) -> Any:
    """Both sums lead to one accumulator of `b`, which is visited once, with the sum of what arrives."""
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a + b
    d = b + 1
    y = c * d
    first = c.grad_fn.next_functions[1][0]
    second = d.grad_fn.next_functions[0][0]
    y.backward()
    return first is second, a.grad, b.grad


def one_expression_in_one_line(torch: Any) -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    y = (a + b) * (b + 1)
    y.backward()
    return y, a.grad, b.grad


def a_product_with_itself(torch: Any) -> Any:
    """Two edges lead from the product to the same leaf."""
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    edges = y.grad_fn.next_functions
    y.backward()
    return edges[0] == edges[1], x.grad


def numbers_come_second(torch: Any) -> Any:
    """A number has the edge (None, 0), always the second one; a power has one edge only."""
    x = torch.tensor(2.0, requires_grad=True)
    before = 3 * x
    after = x * 3
    square = x**2
    edges = [[node is None for node, _ in t.grad_fn.next_functions] for t in (before, after, square)]
    total = before + after + square
    total.backward()
    return edges, x.grad


def a_polynomial(torch: Any) -> Any:
    """The youngest node runs first; the leaf waits for both products."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x + 3 * x + 1
    y.backward()
    return y, x.grad


def logarithm_product_and_sine(torch: Any) -> Any:
    """Difference, sine, sum, product, `x2`, logarithm, `x1`, in this order."""
    x1 = torch.tensor(2.0, requires_grad=True)
    x2 = torch.tensor(5.0, requires_grad=True)
    f = torch.log(x1) + x1 * x2 - torch.sin(x2)
    f.backward()
    return f, x1.grad, x2.grad


def numbers_on_the_left(torch: Any) -> Any:
    """`1 - x` has a node of its own with one edge, `2 / x` is a product with a reciprocal."""
    x = torch.tensor(4.0, requires_grad=True)
    rest = 1 - x
    part = 2 / x
    y = rest * part
    y.backward()
    return rest.grad_fn.name(), part.grad_fn.name(), x.grad


def a_constant_factor(torch: Any) -> Any:
    """Only the constant is saved, since only `x` wants a gradient."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    k = torch.tensor([10.0, 20.0, 30.0])
    y = x * k
    kept = y.grad_fn._saved_self
    y.sum().backward()
    return kept, x.grad, k.grad


def sine_of_a_square(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    u = x**2
    y = torch.sin(u)
    z = y * 3
    z.backward()
    return z, x.grad


def a_sigmoid_by_hand(torch: Any) -> Any:
    x = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    e = torch.exp(-x)
    s = 1 / (1 + e)
    s.sum().backward()
    by_hand = x.grad
    x.grad = None
    torch.sigmoid(x).sum().backward()
    return by_hand, x.grad


def a_chain_of_curves(torch: Any) -> Any:
    x = torch.tensor([0.5, 1.0, 1.5], requires_grad=True)
    h = x
    for _ in range(3):
        h = torch.tanh(h) + h.cos()
    loss = h.sqrt().sum()
    loss.backward()
    return loss, x.grad


def powers_of_all_kinds(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    k = torch.tensor([2.0, 1.0, 0.5], requires_grad=True)
    total = (x**k).sum() + (2**x).sum() + (x**-1).sum()
    total.backward()
    return x.grad, k.grad


def broadcasting_sums_the_gradient(torch: Any) -> Any:
    """A row added to four rows gets four gradients, summed."""
    rows = torch.zeros(4, 3)
    bias = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = rows + bias
    y.sum().backward()
    return y.shape, bias.grad


def broadcasting_both_ways(torch: Any) -> Any:
    column = torch.tensor([[1.0], [2.0]], requires_grad=True)
    row = torch.tensor([[3.0, 4.0, 5.0]], requires_grad=True)
    table = column * row
    scale = torch.tensor(0.5, requires_grad=True)
    loss = (table * scale).sum()
    loss.backward()
    return column.grad, row.grad, scale.grad


def two_dtypes_in_one_sum(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    y = x * w
    y.sum().backward()
    return y.dtype, x.grad.dtype, w.grad.dtype


def products_of_matrices(torch: Any) -> Any:
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = torch.tensor([[0.5, -1.0], [1.5, 2.0]], requires_grad=True)
    v = torch.tensor([1.0, -1.0], requires_grad=True)
    y = (a @ b) @ v
    loss = y @ v
    loss.backward()
    return loss, a.grad, b.grad, v.grad


def a_row_times_a_matrix(torch: Any) -> Any:
    """A vector times a matrix is squeezed out of a product of matrices."""
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    m = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]], requires_grad=True)
    y = v @ m
    y.backward(torch.tensor([1.0, 0.0, -1.0]))
    return y.grad_fn.name(), v.grad, m.grad


def corners_of_curves(torch: Any) -> Any:
    """At their corners, relu and the absolute value have gradient 0."""
    x = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    y = x.relu() + x.abs() + x.clamp(-1, 1)
    y.sum().backward()
    return x.grad


def the_branch_not_taken_gives_nan(torch: Any) -> Any:
    """0 times infinity on the edge that `where` did not take."""
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    root = torch.sqrt(x)
    safe = torch.where(x > 0, root, torch.zeros(2))
    safe.sum().backward()
    return safe, x.grad


def a_branch_made_safe(torch: Any) -> Any:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    positive = x > 0
    inside = torch.where(positive, x, torch.ones(2))
    safe = torch.where(positive, torch.sqrt(inside), torch.zeros(2))
    safe.sum().backward()
    return safe, x.grad


def unnamed_values_on_the_way(torch: Any) -> Any:
    x = torch.linspace(0.0, 1.0, 4, requires_grad=True)
    loss = ((torch.exp(x * 2) - 1).log1p() / 3).square().mean()
    loss.backward()
    return loss, x.grad


def one_name_for_many_values(torch: Any) -> Any:
    x = torch.tensor(1.5, requires_grad=True)
    x_start = x
    x = x * 2
    x = x + 1
    x = x.exp()
    x.backward()
    return x, x_start.grad
