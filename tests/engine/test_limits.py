"""Nothing is limited by accident: deep graphs, many uses, strange sizes and dtypes, threads."""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_lab as lab
from autograd_lab.view.graph.facts.timeline import states

DEEP = 100_000
DEEP_WHEN_RECORDED = 10_000


def leaf(m: Any = lab, *numbers: float, dtype: str = "float32") -> Any:
    return m.tensor(list(numbers) or 1.0, dtype=getattr(m, dtype), requires_grad=True)


def chain(x: Any, length: int) -> Any:
    y = x
    for _ in range(length):
        y = y * 1.0
    return y


# --- depth ---------------------------------------------------------------------------------------------------------


def test_a_chain_of_100000_nodes_runs_backward_and_is_freed() -> None:
    x = leaf()
    y = chain(x, DEEP)
    y.backward()
    del y
    assert x.grad.item() == 1.0


def test_a_chain_of_10000_nodes_is_recorded_and_reduced() -> None:
    x = leaf()
    with lab.record() as trace:
        y = chain(x, DEEP_WHEN_RECORDED)
        y.backward()
    assert x.grad.item() == 1.0
    last = deque(states(trace.events), maxlen=1)[0]
    assert len(last.nodes) >= DEEP_WHEN_RECORDED


def test_a_leaf_may_be_used_10000_times() -> None:
    x = leaf(lab, 2.0)
    y = x * 0
    for _ in range(10_000):
        y = y + x
    y.sum().backward()
    assert x.grad.item() == 10_000
    z = lab.stack([x] * 10_000).sum()
    z.backward()
    assert x.grad.item() == 20_000


def test_a_chain_of_views_has_no_limit() -> None:
    x = leaf(lab, 1.0, 2.0)
    v = x * 1
    for _ in range(DEEP // 10):
        v = v.view(2)
    v.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_writes_through_views_chain_without_limit() -> None:
    x = leaf(lab, 1.0, 2.0)
    u = x * 1
    for _ in range(5_000):
        u[0].mul_(1)
    u.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_gradients_of_gradients_go_through_5000_nodes() -> None:
    x = leaf()
    y = x * x
    for _ in range(5_000):
        y = y * 1.0
    (first,) = lab.autograd.grad(y, x, create_graph=True)
    (second,) = lab.autograd.grad(first.sum(), x)
    assert (first.item(), second.item()) == (2.0, 2.0)


def test_a_deep_graph_is_printed_and_asked_about_without_recursion() -> None:
    y = chain(leaf(), DEEP)
    assert repr(y) == "tensor(1., grad_fn=<MulBackward0>)"
    assert len(y.grad_fn.next_functions) == 2


def test_a_wide_graph_is_freed_when_its_loss_goes() -> None:
    x = leaf()
    total = lab.stack([chain(x, 10) for _ in range(1_000)]).sum()
    total.backward()
    assert x.grad.item() == 1_000


# --- sizes and dtypes, compared with PyTorch ------------------------------------------------------------------------

UNARY: dict[str, Callable[[Any, Any], Any]] = {
    name: (lambda m, x, name=name: getattr(x, name)())
    for name in [
        "abs",
        "ceil",
        "clone",
        "contiguous",
        "cos",
        "detach",
        "double",
        "exp",
        "flatten",
        "floor",
        "log",
        "mean",
        "neg",
        "prod",
        "ravel",
        "relu",
        "round",
        "rsqrt",
        "sigmoid",
        "sign",
        "sin",
        "sqrt",
        "square",
        "sum",
        "t",
        "tanh",
    ]
} | {
    "add a number": lambda m, x: x + 1,
    "times itself": lambda m, x: x * x,
    "divided": lambda m, x: 1 / x,
    "power": lambda m, x: x**2,
    "sum along": lambda m, x: x.sum(-1),
    "mean along": lambda m, x: x.mean(0),
    "largest along": lambda m, x: x.amax(-1),
    "cumsum": lambda m, x: x.cumsum(0),
    "softmax": lambda m, x: x.softmax(-1),
    "log_softmax": lambda m, x: x.log_softmax(-1),
    "view": lambda m, x: x.reshape(-1),
    "unsqueezed": lambda m, x: x.unsqueeze(0),
    "squeezed": lambda m, x: x.squeeze(),
    "first": lambda m, x: x[0],
    "slice": lambda m, x: x[:1],
    "cat": lambda m, x: m.cat([x, x]),
    "stack": lambda m, x: m.stack([x, x]),
    "where": lambda m, x: m.where(x > 1, x, 2 * x),
    "clamp": lambda m, x: x.clamp(1, 2),
    "maximum": lambda m, x: m.maximum(x, x + 1),
    "matmul": lambda m, x: x @ x.transpose(-1, -2),
    "norm": lambda m, x: x.norm(),
    "var": lambda m, x: x.var(),
    "max": lambda m, x: x.max(),
    "expanded": lambda m, x: x.expand(2, *x.shape),
}
SHAPES: dict[str, Callable[[Any, Any], Any]] = {
    "0-d": lambda m, dtype: m.tensor(2, dtype=dtype),
    "empty": lambda m, dtype: m.zeros(0, dtype=dtype),
    "empty rows": lambda m, dtype: m.zeros(0, 3, dtype=dtype),
    "empty columns": lambda m, dtype: m.zeros(2, 0, dtype=dtype),
    "one element": lambda m, dtype: m.tensor([3], dtype=dtype),
    "transposed": lambda m, dtype: m.arange(1, 7).reshape(2, 3).t().to(dtype),
    "every second": lambda m, dtype: m.arange(1, 13).reshape(3, 4).to(dtype)[:, ::2],
    "expanded": lambda m, dtype: m.tensor([[1], [2]]).to(dtype).expand(2, 3),
}


def told(m: Any, op: str, shape: str, dtype: str) -> Any:
    """What an op on such a tensor gives, and its gradient."""
    x = SHAPES[shape](m, getattr(m, dtype)).detach()
    if x.is_floating_point():
        x.requires_grad_()
    try:
        z = UNARY[op](m, x)
        if z.requires_grad:
            z.sum().backward()
    except Exception as error:
        return type(error).__name__, str(error).splitlines()[0]
    grad = x.grad if x.requires_grad else None
    return [_plain(m, one) for one in (z, grad)]


def _plain(m: Any, x: Any) -> Any:
    return None if x is None else (str(x.dtype).partition(".")[2], tuple(x.shape), x.detach().double().tolist())


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "int32", "bool"])
@pytest.mark.parametrize("shape", SHAPES)
def test_common_ops_take_any_size_and_dtype(shape: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    differ = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for op in UNARY:
            ours, theirs = told(lab, op, shape, dtype), told(torch, op, shape, dtype)
            if not _alike(ours, theirs, 2e-3 if dtype == "float16" else 1e-5):
                differ[op] = ours, theirs
    assert not differ


def _alike(ours: Any, theirs: Any, tolerance: float) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return bool(np.isclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True))
    if isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(_alike(*pair, tolerance) for pair in zip(ours, theirs, strict=True))
    return bool(ours == theirs)


# --- threads -------------------------------------------------------------------------------------------------------


def in_threads(*tasks: Callable[[], Any]) -> list[Any]:
    """What the tasks return, each in a thread of its own; their errors are raised here."""
    results: list[Any] = [None] * len(tasks)

    def run(position: int) -> None:
        try:
            results[position] = tasks[position]()
        except BaseException as error:
            results[position] = error

    threads = [threading.Thread(target=run, args=(position,)) for position in range(len(tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def test_each_thread_has_its_own_grad_mode() -> None:
    barrier = threading.Barrier(2)
    x = leaf()

    def off() -> bool:
        with lab.no_grad():
            barrier.wait()
            made = (x * 2).requires_grad
            barrier.wait()
        return made

    def on() -> bool:
        barrier.wait()
        made = (x * 2).requires_grad
        barrier.wait()
        return made

    assert in_threads(off, on) == [False, True]
    with lab.no_grad():
        assert in_threads(lab.is_grad_enabled) == [True]


def test_backward_runs_in_several_threads() -> None:
    def work() -> float:
        x = leaf(lab, 2.0)
        for _ in range(50):
            chain(x, 50).sum().backward()
        return float(x.grad.item())

    assert in_threads(work, work, work) == [50.0] * 3


def test_one_graph_is_gone_through_in_another_thread() -> None:
    x = leaf(lab, 3.0)
    y = (x * x).sum()
    in_threads(y.backward)
    assert x.grad.item() == 6.0
