"""Stories of many numbers that become few."""

from __future__ import annotations

from typing import Any


def a_sum_of_squares(torch: Any) -> Any:
    """The sum of all is SumBackward0, that along a dimension is SumBackward1."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    squares = x**2
    rows = squares.sum(1)
    total = rows.sum()
    total.backward()
    return rows.grad_fn.name(), total.grad_fn.name(), x.grad


def mean_and_variance(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 4.0, 8.0], requires_grad=True)
    mean = x.mean()
    centred = x - mean
    variance = (centred**2).mean()
    (variance + x.var()).backward()
    return mean, variance, x.grad


def a_standard_score(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0, 4.0], [0.0, 3.0, 3.5]], requires_grad=True)
    mean = x.mean(1, keepdim=True)
    spread = x.std(1, keepdim=True)
    score = (x - mean) / spread
    (score**3).sum().backward()
    return score, x.grad


def ties_share_the_gradient(torch: Any) -> Any:
    """The maximum of all splits a tie evenly, that along a dimension picks one."""
    x = torch.tensor([3.0, 1.0, 3.0], requires_grad=True)
    top = x.max()
    top.backward()
    split = x.grad.clone()
    x.grad.zero_()
    value, place = x.max(0)
    value.backward()
    return split, x.grad, place


def largest_of_each_row(torch: Any) -> Any:
    x = torch.tensor([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]], requires_grad=True)
    values, places = x.max(1)
    loss = (values * torch.tensor([1.0, 10.0])).sum()
    loss.backward()
    return values, places, x.grad


def smallest_and_largest(torch: Any) -> Any:
    x = torch.tensor([2.0, -1.0, 4.0, 4.0], requires_grad=True)
    spread = x.amax() - x.amin()
    spread.backward()
    return spread, x.grad


def softmax_by_hand(torch: Any) -> Any:
    scores = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    shifted = scores - scores.max()
    weights = shifted.exp()
    p = weights / weights.sum()
    loss = -p[0].log()
    loss.backward()
    return p, scores.grad


def softmax_and_its_loss(torch: Any) -> Any:
    scores = torch.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 1.0]], requires_grad=True)
    logs = torch.log_softmax(scores, 1)
    loss = -(logs[0, 2] + logs[1, 0]) / 2
    loss.backward()
    return loss, scores.grad


def logarithm_of_a_sum_of_exponentials(torch: Any) -> Any:
    x = torch.tensor([[0.0, 1.0], [2.0, -3.0]], requires_grad=True)
    y = torch.logsumexp(x, 1)
    y.sum().backward()
    return y, x.grad


def a_running_total(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    totals = torch.cumsum(x * 2, 0)
    totals.backward(torch.tensor([1.0, 1.0, 10.0]))
    return totals, x.grad


def a_product_with_a_zero(torch: Any) -> Any:
    x = torch.tensor([2.0, 0.0, 4.0], requires_grad=True)
    y = x.prod()
    y.backward()
    return y, x.grad


def lengths_of_rows(torch: Any) -> Any:
    x = torch.tensor([[3.0, 4.0], [6.0, 8.0]], requires_grad=True)
    lengths = x.norm(dim=1)
    total = lengths.sum() + x.norm()
    total.backward()
    return lengths, x.grad


def a_sum_into_one_accumulator(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    total = torch.tensor(0.0)
    for each in x:
        total = total + each**2
    total.backward()
    return total, x.grad


def a_trace_of_a_product(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x @ x.T
    z = torch.trace(y)
    z.backward()
    return z, x.grad


def a_weighted_average(torch: Any) -> Any:
    values = torch.tensor([1.0, 5.0, 9.0], requires_grad=True)
    weights = torch.tensor([1.0, 2.0, 1.0], requires_grad=True)
    average = torch.dot(values, weights) / weights.sum()
    average.backward()
    return average, values.grad, weights.grad


def distance_of_two_points(torch: Any) -> Any:
    p = torch.tensor([0.0, 3.0], requires_grad=True)
    q = torch.tensor([4.0, 0.0], requires_grad=True)
    step = p - q
    distance = (step * step).sum().sqrt()
    distance.backward()
    return distance, p.grad, q.grad
