"""Memory is held as long as PyTorch holds it, and no longer; the cycle collector is never needed."""

from __future__ import annotations

import contextlib
import gc
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograd_lab as torch

BIG = 250_000
BYTES = BIG * 4
"""The size of a big tensor of float32."""


@pytest.fixture(autouse=True)
def collector_off() -> Iterator[None]:
    gc.collect()
    gc.freeze()  # the next test need not look through it again
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def big(requires_grad: bool = True) -> Any:
    return torch.ones(BIG, requires_grad=requires_grad)


def held(make: Callable[[], Any]) -> tuple[Any, float]:
    """What `make` returns, and how many big tensors it left in memory."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = make()
        return made, round((tracemalloc.get_traced_memory()[0] - before) / BYTES, 1)
    finally:
        tracemalloc.stop()


# --- what a graph holds --------------------------------------------------------------------------------------------


def test_forward_holds_exactly_what_ops_save() -> None:
    x = big()
    saved_by = {
        "x + 1 saves nothing": (lambda: (x + 1).sum(), 0),
        "exp saves its result": (lambda: x.exp().sum(), 1),
        "x * x saves x, which is there anyway": (lambda: (x * x).sum(), 0),
        "relu and sigmoid save their results": (lambda: x.relu().sigmoid().sum(), 2),
        "sin saves its input": (lambda: x.exp().sin().sum(), 1),
        "views save nothing": (lambda: x.view(10, -1).t().reshape(10, -1, 1)[0].sum(), 0),
        "detach shares": (lambda: x.detach(), 0),
        "data shares": (lambda: x.data.view(-1), 0),
        "clone does not": (lambda: x.clone(), 1),
    }
    for what, (make, tensors) in saved_by.items():
        assert (what, held(make)[1]) == (what, tensors)


def test_no_grad_holds_results_only() -> None:
    x = big()
    with torch.no_grad():
        assert held(lambda: x.exp().sin().sum())[1] == 0


def test_backward_frees_what_was_saved_and_leaves_the_gradient() -> None:
    x = big()
    loss, before = held(lambda: x.exp().sigmoid().sum())
    assert before == 2
    tracemalloc.start()
    loss = x.exp().sigmoid().sum()
    loss.backward()
    assert round(tracemalloc.get_traced_memory()[0] / BYTES, 1) == 1  # x.grad
    tracemalloc.stop()
    assert loss.grad_fn is not None


def test_retain_graph_keeps_what_was_saved() -> None:
    x = big()
    y = x.exp()
    array = weakref.ref(y._array)
    loss = y.sum()
    del y
    loss.backward(retain_graph=True)
    assert array() is not None
    loss.backward()
    assert array() is None


def test_backward_needs_few_gradients_at_a_time() -> None:
    x = big()
    y = x
    for _ in range(50):
        y = y + 1
    loss = y.sum()
    del y
    tracemalloc.start()
    loss.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * BYTES


def test_a_gradient_of_a_part_is_not_kept_for_the_whole() -> None:
    x = big()
    ((x * 2).sum()).backward()
    first = x.grad
    x.grad = None
    array = weakref.ref(first._array)
    del first
    assert array() is None


# --- graphs go at once, without the collector -----------------------------------------------------------------------


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.save_for_backward(x, y)
        ctx.factor = 2
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.factor


def hooked(x: Any) -> Any:
    y = x.exp()
    seen: list[Any] = []
    y.register_hook(seen.append)
    y.grad_fn.register_hook(lambda sent, received: None)
    y.grad_fn.register_prehook(lambda received: None)
    x.register_hook(seen.append)
    return y


def retained(x: Any) -> Any:
    y = x.exp()
    y.retain_grad()
    return y.sin()


def copied_slices(x: Any) -> Any:
    u = x * 1
    v = u.view(2, -1)
    v[0].mul_(2)
    v[1].exp_()
    return u * u


def with_second_gradients(x: Any) -> Any:
    (first,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    return first * first


def several(x: Any) -> Any:
    largest = x.view(10, -1).max(1)
    parts = x.split(BIG // 2)
    return torch.cat([largest.values, parts[0].exp(), parts[1].sigmoid()])


def packed(x: Any) -> Any:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
        return x.exp() * x


GRAPHS = {
    "pointwise": lambda x: (x.exp() * x).sigmoid().relu(),
    "a custom Function": Double.apply,
    "hooks": hooked,
    "retain_grad": retained,
    "writes through views": copied_slices,
    "writes": lambda x: (x * 1).add_(x).mul_(2).exp_(),
    "gradients of gradients": with_second_gradients,
    "several outputs": several,
    "saved tensors hooks": packed,
    "views": lambda x: x.view(2, -1).t()[0:2].exp(),
    "no_grad inside": lambda x: x.exp() * x.detach(),
    "a reduction": lambda x: x.softmax(0).log_softmax(0).cumsum(0),
    "a mask": lambda x: torch.where(x > 0, x, x.exp())[x > 0],
    "a matrix": lambda x: x.view(500, 500) @ x.view(500, 500).t(),
}


@pytest.mark.parametrize("went_back", [False, True], ids=["forward only", "after backward"])
@pytest.mark.parametrize("recorded", [False, True], ids=["", "recorded"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_dropping_the_loss_drops_its_graph_at_once(graph: str, recorded: bool, went_back: bool) -> None:
    x = big()

    def run() -> tuple[Any, list[Any]]:
        y = GRAPHS[graph](x)
        nodes, waiting = [], [y.grad_fn]
        while waiting:
            node = waiting.pop()
            if node is not None and "Accumulate" not in node.name():
                nodes.append(weakref.ref(node))
                waiting += [edge[0] for edge in node.next_functions]
        loss = y.sum()
        if went_back:
            loss.backward()
        return loss, nodes

    if recorded:
        with torch.record() as trace:
            loss, nodes = run()
        assert len(trace.events) > 2
    else:
        loss, nodes = run()
    del loss
    assert [node() for node in nodes if node() is not None] == []


def test_a_leaf_goes_with_its_last_reference_though_it_was_used() -> None:
    x = big()
    x.exp().sum().backward()
    arrays = weakref.ref(x._array), weakref.ref(x.grad._array)
    del x
    assert [array() for array in arrays] == [None, None]


def test_errors_hold_no_graph() -> None:
    x = big()

    def fails() -> Any:
        y = x.exp()
        y.add_(1)
        array = weakref.ref(y._array)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
        return array

    array = fails()
    gc.collect()  # pytest's own frames
    assert array() is None


# --- recording -----------------------------------------------------------------------------------------------------


def test_a_recording_holds_no_array_of_the_programs() -> None:
    def program() -> tuple[Any, list[Any]]:
        with torch.record() as trace:
            x = big()
            y = x.exp()
            arrays = [weakref.ref(one._array) for one in (x, y)]
            y.sum().backward()
            arrays.append(weakref.ref(x.grad._array))
        return trace, arrays

    trace, arrays = program()
    assert len(trace.events) > 5
    assert [array() for array in arrays if array() is not None] == []


def test_a_recording_of_big_tensors_is_small() -> None:
    x = big()

    def program() -> Any:
        with torch.record() as trace:
            for _ in range(10):
                x.exp().sigmoid().sum().backward()
        return trace

    x.exp().sum().backward()
    trace, left = held(program)
    assert left < 0.5, f"{left} big tensors for {len(trace.events)} events"


@pytest.mark.parametrize("size", [1, 10, 1_000, BIG])
def test_what_an_event_takes_does_not_grow_with_the_tensors(size: int) -> None:
    x = torch.ones(size, requires_grad=True)
    (x * x).sum().backward()
    tracemalloc.start()
    with torch.record() as trace:
        for _ in range(100):
            (x * x).sum().backward()
        taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken / len(trace.events) < 2_000


def test_numpy_shares_the_memory_of_a_detached_tensor() -> None:
    x = big()
    assert np.shares_memory(x.detach().numpy(), x._array)
    assert x.data.data_ptr() == x.data_ptr()


@pytest.mark.parametrize(
    "op", ["x + y", "x[:2].mul_(y)", "x.lerp(y, x)", "x.where(y > 0, y)", "x.clamp(y)", "x.masked_fill(y > 0, 1)"]
)
def test_an_op_that_refuses_shapes_keeps_nothing_alive(op: str) -> None:
    def fails() -> weakref.ref[Any]:
        x, y = torch.ones(3) * 1, torch.ones(4) * 1
        with contextlib.suppress(RuntimeError):
            eval(op, {"x": x, "y": y})
        return weakref.ref(x)

    gc.disable()
    try:
        assert fails()() is None
    finally:
        gc.enable()
