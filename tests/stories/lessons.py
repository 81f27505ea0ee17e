"""Stories for a class: questions to vote on, exercises to repair."""

from __future__ import annotations

from typing import Any

from tests.stories import filled, said


def who_gets_nine(torch: Any) -> Any:
    """Two arrivals at one leaf, stored once."""
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    arrivals = []
    c = a + b
    d = b + 1
    c.register_hook(lambda grad: arrivals.append(grad.item()))
    d.register_hook(lambda grad: arrivals.append(grad.item()))
    y = c * d
    y.backward()
    return arrivals, a.grad, b.grad


def the_same_backward_twice(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    survivors = []
    for name, make in {"x*x": lambda: x * x, "3*x": lambda: 3 * x, "x+x": lambda: x + x, "x": lambda: x}.items():
        loss = make().sum()
        loss.backward()
        try:
            loss.backward()
        except RuntimeError:
            continue
        survivors.append(name)
    return survivors, x.grad


def the_memory_that_would_not_die(torch: Any) -> Any:
    """A list of losses against a list of numbers."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    history = []
    numbers = []
    for step in range(3):
        loss = ((w - step) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
        history.append(loss)
        numbers.append(loss.item())
    return history, numbers


def the_missing_wire(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0])
    w = torch.tensor([0.5, -0.5], requires_grad=True)
    h = x * w
    out = (x * 2).tanh().sum()
    print(out.requires_grad, h.requires_grad)
    out = (h * 2).tanh().sum()
    out.backward()
    return w.grad


def both_leaves_are_one(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    u = x + 1
    v = x * 5
    same = u.grad_fn.next_functions[0][0] is v.grad_fn.next_functions[0][0]
    (u * v).backward()
    return same, x.grad


def a_bias_that_is_summed(torch: Any) -> Any:
    x = torch.arange(12.0).view(4, 3)
    b = torch.zeros(3, requires_grad=True)
    out = x + b
    out.retain_grad()
    (out * 2).sum().backward()
    return out.grad.shape, b.grad, out.grad.sum(0)


def four_ways_to_stop(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    alias = h.detach()
    raw = h.data
    copy = h.clone()
    with torch.no_grad():
        quiet = x * 2
    h.add_(1)
    versions = [t._version for t in (h, alias, raw, copy, quiet)]
    (h.sum() + copy.sum()).backward()
    return versions, alias, raw, copy, quiet, x.grad


def now_at_backward_or_never(torch: Any) -> Any:
    """When does each of these writes fail?"""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    verdicts = []
    for name, make in {"+": lambda: x + 3, "*": lambda: x * 2, "exp": x.exp, "tanh": x.tanh, "relu": x.relu}.items():
        y = make()
        y.mul_(2)
        try:
            y.sum().backward()
            verdicts.append((name, "never"))
        except RuntimeError:
            verdicts.append((name, "at backward"))
    try:
        x.mul_(2)
    except RuntimeError:
        verdicts.append(("leaf", "now"))
    return verdicts, x.grad


def a_buffer_on_each_turn(torch: Any) -> Any:
    """The graph of each turn hangs on to that of the turn before."""
    w = torch.tensor([1.0, 1.0], requires_grad=True)
    buffer = torch.zeros(3, 2)
    for i in range(3):
        buffer[i] = w * (i + 1)
        loss = (buffer**2).sum()
        try:
            loss.backward()
        except RuntimeError as error:
            return said(error), i, w.grad


def a_graph_that_grows_to_the_left(torch: Any) -> Any:
    w = torch.tensor(0.5, requires_grad=True)
    state = torch.tensor(1.0)
    for _ in range(3):
        state = (w * state).tanh()
    state.backward()
    whole = w.grad.clone()
    w.grad = None
    state = torch.tensor(1.0)
    for turn in range(3):
        if turn == 2:
            state = state.detach()
        state = (w * state).tanh()
    state.backward()
    return whole, w.grad


def a_depth_that_depends_on_data(torch: Any) -> Any:
    found = []
    for start in (1.0, 3.0):
        x = torch.tensor(start, requires_grad=True)
        y = x
        depth = 0
        while y < 10:
            y = y * 2
            depth += 1
        y.backward()
        found.append((depth, x.grad))
    return found


def the_order_of_calls(torch: Any) -> Any:
    model = filled(torch, torch.nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.tensor([[1.0, 2.0]])
    for _ in range(2):
        loss = model(x).pow(2).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return model.weight, model.weight.grad


def where_nan_comes_from(torch: Any) -> Any:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    lengths = x.abs()
    roots = lengths.sqrt()
    ratio = torch.where(lengths > 0, lengths / roots, roots * 0)
    roots.register_hook(lambda grad: print("roots", grad))
    lengths.register_hook(lambda grad: print("lengths", grad))
    ratio.sum().backward()
    return x.grad


def a_pearl_necklace_of_views(torch: Any) -> Any:
    x = torch.arange(8.0, requires_grad=True)
    h = x * 1
    cube = h.view(2, 2, 2)
    face = cube[1]
    edge = face[0]
    edge.zero_()
    names = [t.grad_fn.name() for t in (h, cube, face, edge)]
    h.sum().backward()
    return names, x.grad


def a_finite_difference(torch: Any) -> Any:
    def f(x: Any) -> Any:
        return (x**3 - 2 * x).sum()

    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = f(x)
    y.backward()
    eps = 1e-6
    with torch.no_grad():
        steps = torch.eye(2, dtype=torch.float64) * eps
        estimates = torch.stack([(f(x + step) - f(x - step)) / (2 * eps) for step in steps])
    return x.grad, torch.allclose(x.grad, estimates)
