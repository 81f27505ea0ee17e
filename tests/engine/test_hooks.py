"""Hooks on tensors and nodes: what they see, in which order, and what they may do, as in real PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import autograd_lab
from autograd_lab.engine.core import seams
from autograd_lab.engine.exact import detached, guarding
from autograd_lab.view.graph.facts.timeline import states
from tests.programs import error, leaf, own, warned
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")

story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


class Heard(list[str]):
    """Notes what hooks are called with."""

    def hook(self, name: str, result: Any = None) -> Callable[..., Any]:
        return lambda *args: (self.append(f"{name} {args}"), result(*args) if callable(result) else result)[1]


# --- tensors -------------------------------------------------------------------------------------------------------


@story
def each_hook_sees_what_the_one_before_returned(m: Any) -> Any:
    heard, x = Heard(), leaf(m)
    y = x * 1
    y.register_hook(heard.hook("first", lambda g: g + 1))
    y.register_hook(heard.hook("second"))
    y.retain_grad()
    y.register_hook(heard.hook("third", lambda g: g * 2))
    x.register_hook(heard.hook("leaf", lambda g: g * 10))
    (y * 2 + y * 3).sum().backward()
    return [heard, y.grad, x.grad]


@story
def hooks_that_are_mistakes(m: Any) -> Any:
    x = leaf(m)

    def after(hook: Any) -> str:
        y = x * 1
        y.register_hook(hook)
        return error(lambda: y.sum().backward())

    return [
        error(lambda: m.ones(2).register_hook(print)), after(lambda g: 5), after(lambda g: g.double()),
        after(lambda g: m.ones(2)), after(lambda g: 1 / 0), after(7), x.grad,
        error(lambda: m.ones(2).register_post_accumulate_grad_hook(print)),
        error(lambda: (x * 2).register_post_accumulate_grad_hook(print)),
    ]  # fmt: skip


@story
def a_hook_is_removed_by_its_handle(m: Any) -> Any:
    heard, x = Heard(), leaf(m)
    y = x * 1
    with y.register_hook(heard.hook("inside")) as handle:
        y.sum().backward(retain_graph=True)
    y.sum().backward(retain_graph=True)
    handle.remove()
    kept = y.register_hook(heard.hook("gone"))
    before = len(y._backward_hooks)
    kept.remove()
    return [heard, before, len(y._backward_hooks), x._backward_hooks, type(handle).__name__, type(handle).__module__]


@story
def hooks_change_while_they_are_called(m: Any) -> Any:
    heard, x, handles = Heard(), leaf(m), []
    y = x * 1

    def first(g: Any) -> None:
        handles[0].remove()
        y.register_hook(heard.hook("late"))

    y.register_hook(first)
    handles.append(y.register_hook(heard.hook("second")))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return heard


@story
def a_hook_from_before_a_write_sees_the_gradient_of_the_old_value(m: Any) -> Any:
    heard, x = Heard(), leaf(m)
    y = x * 1
    y.register_hook(heard.hook("before"))
    y.mul_(3)
    y.register_hook(heard.hook("after"))
    y.sum().backward()
    return [heard, x.grad]


@story
def hooks_see_that_no_gradient_comes(m: Any) -> Any:
    heard, x = Heard(), leaf(m)
    y = x * 1
    y.register_hook(heard.hook("tensor"))
    y.grad_fn.register_prehook(heard.hook("pre"))
    y.grad_fn.register_hook(heard.hook("post"))
    x.register_hook(heard.hook("leaf"))
    x.register_post_accumulate_grad_hook(lambda leaf: heard.append(f"accumulated {leaf.grad}"))
    nothing = own(m, lambda ctx, a: a * 1, lambda ctx, g: None)
    nothing.apply(y).sum().backward()
    z = x * 1
    z.register_hook(lambda g: m.ones(3))
    return [heard, error(lambda: nothing.apply(z).sum().backward()), x.grad]


@story
def a_leaf_has_its_order_too(m: Any) -> Any:
    heard, x = Heard(), leaf(m)
    x.register_post_accumulate_grad_hook(lambda leaf: heard.append(f"accumulated {leaf.grad}"))
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    node.register_hook(heard.hook("post"))
    node.register_prehook(heard.hook("pre", lambda gradients: (gradients[0] * 5,)))
    x.register_hook(heard.hook("tensor"))
    y.sum().backward()
    (asked,) = m.autograd.grad((x * 2).sum(), x)
    wrong = x.register_post_accumulate_grad_hook(lambda leaf: 5)
    refused = error(lambda: (x * 2).sum().backward())
    wrong.remove()
    return [heard, asked, x.grad, refused]


# --- nodes ---------------------------------------------------------------------------------------------------------


@story
def a_nodes_hooks_come_before_and_after_it(m: Any) -> Any:
    heard, x = Heard(), leaf(m)
    y = x * 2
    y.grad_fn.register_prehook(heard.hook("pre", lambda received: (received[0] + 1,)))
    y.register_hook(heard.hook("tensor"))
    y.grad_fn.register_hook(heard.hook("post", lambda sent, received: (sent[0] * 10, None)))
    y.retain_grad()
    y.sum().backward()
    return [heard, x.grad, y.grad]


@story
def a_nodes_hooks_return_tuples_of_the_same_kind(m: Any) -> Any:
    x = leaf(m)

    def after(kind: str, result: Any) -> str:
        y = x * 2
        getattr(y.grad_fn, kind)(lambda *args: result)
        return error(lambda: y.sum().backward())

    results = [5, (None,), m.ones(3), [m.ones(3), None], (5, None), (m.ones(2), None), (m.ones(3).double(), None)]
    before = [5, m.ones(3), (None,), (m.ones(3), m.ones(3)), (m.ones(2),)]
    found = [after("register_hook", result) for result in results]
    return found + [after("register_prehook", result) for result in before]


@story
def what_is_asked_for_is_taken_after_its_tensors_hooks(m: Any) -> Any:
    x, heard = leaf(m), Heard()

    def after(kind: str, wanted: str) -> Any:
        y = x * 1
        if kind == "tensor":
            y.register_hook(lambda g: g * 2)
        else:
            y.grad_fn.register_prehook(lambda received: (received[0] * 2,))
        y.grad_fn.register_hook(heard.hook("post"))
        y.retain_grad()
        found = m.autograd.grad(y.sum(), [{"x": x, "y": y}[one] for one in wanted])
        return [found, y.grad]

    return [after(kind, wanted) for kind in ("tensor", "node") for wanted in ("x", "y", "xy")] + heard


@story
def hooks_run_in_the_mode_of_the_pass(m: Any) -> Any:
    heard, x = [], leaf(m)
    y = x * x
    y.register_hook(lambda g: heard.append((m.is_grad_enabled(), g.requires_grad)))
    z = (y * y).sum()
    z.backward(retain_graph=True)
    (g,) = m.autograd.grad(z, x, create_graph=True)
    return [heard, m.autograd.grad(g.sum(), x)]


# --- several, and passes within passes -----------------------------------------------------------------------------


@story
def one_hook_waits_for_several_gradients(m: Any) -> Any:
    heard, a, b = Heard(), leaf(m), leaf(m)
    c = a * b
    register = m.autograd.graph.register_multi_grad_hook
    handle = register((a, b, c), heard.hook("all"))
    c.sum().backward(retain_graph=True)
    (a * 2).sum().backward()
    c.sum().backward(inputs=[a])
    handle.remove()
    first = register((a, b), heard.hook("any"), mode="any")
    (a * 2 + b * 3).sum().backward()
    (a * 2 + b * 3).sum().backward()
    first.remove()
    asked = register((a, b), heard.hook("asked"))
    refused = error(lambda: m.autograd.grad((a + b).sum(), [a]))
    asked.remove()
    return [heard, refused, error(lambda: register((a, m.ones(1)), print)), error(lambda: register((a,), 1, mode="x"))]


@story
def what_a_hook_writes_into_a_gradient_is_seen_by_all_who_get_the_same_one(m: Any) -> Any:
    class Twice(m.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, g

    def told(shape: Any, function: Any, kept: bool) -> Any:
        a, b, seed = (m.full(shape, float(value), requires_grad=value > 1) for value in (2, 3, 1))
        b.register_hook(lambda g: [g.mul_(100), None][1])
        c, heard = a * 2, Heard()
        c.register_hook(heard.hook("c"))
        out = function(c, b)
        if kept:
            out.retain_grad()
        out.backward(seed)
        return [heard, a.grad, b.grad, seed, out.grad if kept else None]

    functions = [
        lambda c, b: c + b,
        Twice.apply,
        lambda c, b: (c * b + b) + b * c,
        lambda c, b: (c + b) * 3,
        lambda c, b: c - b,
    ]
    return [told(shape, one, kept) for shape in ((), (1,), (2,)) for one in functions for kept in (False, True)]


@story
def a_hook_runs_a_backward_pass_of_its_own(m: Any) -> Any:
    x, w, heard = leaf(m), leaf(m), Heard()
    inner = (w * w).sum()

    def hook(g: Any) -> Any:
        with m.enable_grad():
            (w * 3).sum().backward()
        inner.backward(retain_graph=True)
        heard.append(str(w.grad))
        return g * 2

    y = x * 2
    y.register_hook(hook)
    y.grad_fn.register_hook(heard.hook("post"))
    (y * y).sum().backward()
    return [heard, x.grad, w.grad]


def test_a_pass_begun_by_a_hook_leaves_the_outer_one_as_it_was() -> None:
    x, w = leaf(autograd_lab), leaf(autograd_lab)

    def hook(g: Any) -> None:
        with autograd_lab.enable_grad():
            (w * w).sum().backward()

    with autograd_lab.record() as trace:
        y = x * 2
        y.register_hook(hook)
        (y * 3).sum().backward()
    seen = list(states(trace.events))
    assert [state.current for state in seen if type(state.event).__name__ == "BackwardStarted"] == [1, 2]
    finished = [state for state in seen if type(state.event).__name__ == "BackwardFinished"]
    assert [(state.current, state.in_backward) for state in finished] == [(1, True), (1, False)]
    outer = {event.node for event in trace.events if type(event).__name__ == "NodeEvaluated"} & set(finished[1].nodes)
    before, after = (sum(state.node(node).status == "evaluated" for node in outer) for state in finished)
    assert (before, after) == (2, 3)
    started = next(state.event for state in seen if type(state.event).__name__ == "BackwardStarted")
    assert finished[1].event is not None
    assert finished[1].event.where == started.where != finished[0].event.where


# --- anomaly mode --------------------------------------------------------------------------------------------------


@story
def anomaly_mode_names_the_node_that_failed(m: Any) -> Any:
    x = leaf(m)
    m.autograd.set_detect_anomaly(True)
    try:
        zero, infinite = m.zeros(3), m.full((3,), float("inf"))
        doubled = x * 1
        doubled.register_hook(lambda g: g * float("nan"))
        written = x.exp()
        written.add_(1)
        runs = [
            lambda: (x * infinite).backward(zero), lambda: doubled.sum().backward(), lambda: written.sum().backward(),
            lambda: x.sum().backward(m.tensor(float("nan"))),
            lambda: own(m, lambda ctx, a: a * 1, lambda ctx, g: 1 / 0).apply(x).sum().backward(),
        ]  # fmt: skip
        with warnings.catch_warnings():  # where forward was is asked below
            warnings.simplefilter("ignore")
            found = [error(run) for run in runs]
        flags = m.is_anomaly_enabled(), m.is_anomaly_check_nan_enabled()
    finally:
        m.autograd.set_detect_anomaly(False)
    return [found, flags, m.is_anomaly_enabled()]


@pytest.mark.parametrize("m", [autograd_lab, torch], ids=["here", "pytorch"])
def test_anomaly_mode_tells_the_line_of_forward(m: Any) -> None:
    x = leaf(m)

    def fail() -> None:
        with m.autograd.set_detect_anomaly(True):
            y = x.exp()  # the line in question
            y.register_hook(lambda g: 1 / 0)
        with m.autograd.set_detect_anomaly(True):
            y.sum().backward()

    with pytest.warns(UserWarning) as caught, pytest.raises(ZeroDivisionError):
        fail()
    (text,) = [str(each.message) for each in caught]
    assert text.startswith("Error detected in ExpBackward0. Traceback of forward call that caused the error:\n")
    assert "the line in question" in text


@story
def anomaly_mode_is_told_and_ends(m: Any) -> Any:
    x = leaf(m)
    unknown = (x * 1).sum()
    unknown.grad_fn.register_hook(lambda sent, received: 5)

    def run() -> None:
        with m.autograd.detect_anomaly(check_nan=False):
            error(lambda: unknown.backward())

    y = (x * 2).sum()
    with m.autograd.set_detect_anomaly(True):
        z = x * 2
    return [warned(run), y.grad_fn.metadata, list(z.grad_fn.metadata), m.is_anomaly_enabled()]


@pytest.mark.parametrize("m", [autograd_lab, torch], ids=["autograd_lab", "PyTorch"])
def test_where_warnings_are_errors_anomaly_mode_prints_what_it_found(m: Any, capsys: Any) -> None:
    with warnings.catch_warnings(), m.autograd.detect_anomaly():
        warnings.simplefilter("error")
        x = m.ones(3, requires_grad=True)
        y = x + 1
        z = y**2
        y += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.sum().backward()
    printed = capsys.readouterr().err
    assert "UserWarning: Error detected in PowBackward0. Traceback of forward call that caused the error" in printed
    assert "z = y**2" in printed and "During handling" not in printed


def _computed(m: Any) -> tuple[Any, Any]:
    x = m.tensor([0.5, 1.0], requires_grad=True)
    return x, x.clone()


@story
def a_node_refuses_an_operand_that_was_detached_in_place_since_it_saved_it(m: Any) -> Any:
    def after(make: Callable[[Any, Any], Any], ready: Callable[[Any], Any] = lambda y: None) -> Any:
        x, y = _computed(m)
        z = make(x, y)
        y.detach_()
        ready(y)
        return [error(lambda: z.sum().backward()), x.grad]

    def is_kept(x: Any, y: Any) -> Any:
        with m.autograd.graph.saved_tensors_hooks(lambda one: one, lambda one: one):
            return y.sin()

    return [
        after(lambda x, y: y.sin()), after(lambda x, y: x * y), after(lambda x, y: m.cat([y, y]).sin()),
        after(lambda x, y: y * y, lambda y: y.requires_grad_()), after(lambda x, y: y.exp()), after(is_kept),
    ]  # fmt: skip


@story
def a_node_takes_an_operand_that_was_detached_before_and_a_function_takes_any(m: Any) -> Any:
    class Double(m.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0]

    x, y = _computed(m)
    z = Double.apply(y)
    y.detach_()
    (y * x).sum().backward()
    z.sum().backward()
    return x.grad


def test_passes_are_guarded_only_while_there_are_tensors_that_were_detached_and_had_been_saved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detached, "_since", {})  # without what other tests have left
    guarding.put("detached", None)
    _, y = _computed(autograd_lab)
    y.detach_()
    assert seams.guarded is None, "nobody had saved it"
    _x, y = _computed(autograd_lab)
    z = y.sin()
    y.detach_()
    assert seams.guarded is not None
    del y, z
    assert seams.guarded is None
