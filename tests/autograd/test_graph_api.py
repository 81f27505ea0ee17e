"""Edges, saved tensors that go through hooks, and checkpoints, as in real PyTorch."""

from __future__ import annotations

import gc
import os
import weakref
from typing import Any

import pytest

import autograd_lab
import autograd_lab.utils.checkpoint
from tests.programs import error, leaf, warned
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")
pytest.importorskip("torch.utils.checkpoint")

story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


# --- edges and nodes -----------------------------------------------------------------------------------------------


@story
def an_edge_stands_for_a_tensor(m: Any) -> Any:
    edge, grad = m.autograd.graph.get_gradient_edge, m.autograd.grad
    x = leaf(m)
    y = x * 2
    at_x, at_y, at_z = edge(x), edge(y), edge(y.sum())
    keep = {"retain_graph": True}
    found = [
        grad(y.sum(), at_x, **keep), grad(y.sum(), (at_y, x), **keep), grad(at_y, x, m.ones(3), **keep),
        grad(at_z, x, **keep), error(lambda: grad(at_y, x)), error(lambda: grad(at_y, x, m.ones(2))),
        error(lambda: grad((x * 2).sum(), at_y)),
        error(lambda: grad((x * 2).sum(), at_y, allow_unused=True, materialize_grads=True)),
    ]  # fmt: skip
    m.autograd.backward(at_y, m.ones(3), **keep)
    m.autograd.backward((x * 3).sum(), inputs=at_x)
    m.autograd.backward(y.sum(), inputs=[at_y])
    tuples = [at_y.output_nr, at_y.node is y.grad_fn, at_y._fields, at_x.node.name(), tuple(at_x)[2]]
    return [*found, x.grad, y.retains_grad, tuples, error(lambda: edge(m.ones(2))), error(lambda: edge(5))]


@story
def nodes_are_nodes(m: Any) -> Any:
    node = m.autograd.graph.Node
    y = leaf(m) * 2
    kinds = [isinstance(each, node) for each in (y.grad_fn, y.grad_fn.next_functions[0][0], 5)]
    return [kinds, issubclass(type(y.grad_fn), node), issubclass(int, node)]


@story
def a_node_can_be_called_and_shows_what_it_has(m: Any) -> Any:
    x = leaf(m)
    node = (x * 2).grad_fn
    accumulator = node.next_functions[0][0]
    sent = [node(m.ones(3)), accumulator(m.ones(3)), accumulator(m.ones(3)), error(lambda: node(m.ones(3), m.ones(3)))]
    own = type("My", (m.autograd.Function,), {"forward": staticmethod(lambda ctx, a: a * 1)}).apply(x).grad_fn
    rare = {"_input_metadata", "_register_hook_dict", "_set_sequence_nr"}  # not here
    names = [
        [name for name in dir(one) if not name.startswith("__") and name not in rare] for one in (node, accumulator)
    ]
    return [sent, x.grad, error(lambda: own(m.ones(3))), names]


@story
def writes_are_counted_or_not_at_will(m: Any) -> Any:
    x, y = leaf(m), leaf(m)
    m.autograd.graph.increment_version(x)
    m.autograd.graph.increment_version([x, y])
    counts = [x._version, y._version]
    with m.autograd._unsafe_preserve_version_counter(x), m.no_grad():
        x.add_(1)
    told = [error(lambda: m.autograd.graph.increment_version([y, 3])), y._version]
    return [counts, x._version, x, told]


# --- saved tensors -------------------------------------------------------------------------------------------------

EXPRESSIONS = [
    "x.exp()", "x * x * 2", "x * k", "x ** 2", "x / 3", "x ** x", "x.max()", "(x * 1).exp_()", "(x * 1).mul_(x)",
    "m.where(x > 1, x, x * 2)", "x.softmax(0)", "x.norm()", "x @ x", "(x.view(3, 1) @ x.view(1, 3))", "x.prod()",
    "x.std()", "m.cat([x, x])", "x.clamp(min=1.5)", "x.cumsum(0).sigmoid()",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_saved_passes_the_hooks_in_pytorchs_order(expression: str) -> None:
    def tell(m: Any) -> Any:
        x, seen = leaf(m), []

        def pack(t: Any) -> Any:
            history = None if t.grad_fn is None else t.grad_fn.name()
            seen.append((repr(t), t is x, history, t.is_leaf, t._version, m.is_grad_enabled()))
            return t.detach().clone()

        with m.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            y = eval(expression, {"m": m, "x": x, "k": m.ones(3)})
        y.sum().backward()
        return [seen, x.grad]

    assert said(autograd_lab, tell) == said(torch, tell)


@story
def the_innermost_hooks_hold_and_gradients_of_gradients_pass_too(m: Any) -> Any:
    hooks, x, seen = m.autograd.graph.saved_tensors_hooks, leaf(m), []

    def pair(name: str) -> Any:
        return hooks(lambda t: (seen.append(name), t.detach().clone())[1], lambda t: (seen.append(f"un{name}"), t)[1])

    with pair("outer"):
        with pair("inner"):
            y = x.exp()
        z = (x * x).sum()
    (g,) = m.autograd.grad(z, x, create_graph=True)
    (second,) = m.autograd.grad(g.sum(), x)
    (h,) = m.autograd.grad(y.sum(), x, create_graph=True)
    saved = y.grad_fn._saved_result
    same = saved.grad_fn is y.grad_fn, z.grad_fn.next_functions[0][0]._saved_self is x
    return [seen, g, second, h, m.autograd.grad(h.sum(), x), same]


@story
def a_packed_leaf_is_still_that_leaf(m: Any) -> Any:
    x = leaf(m)
    with m.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x * x
    with m.no_grad():
        x.add_(10)
    saved = y.grad_fn._saved_self
    nodes = [(one * 1).grad_fn.next_functions[0][0] for one in (saved, x)]
    y.sum().backward()
    return [saved, saved.is_leaf, saved.requires_grad, nodes[0] is nodes[1], x.grad]


@story
def hooks_that_are_mistakes(m: Any) -> Any:
    hooks, x = m.autograd.graph.saved_tensors_hooks, leaf(m)

    def through(pack: Any, unpack: Any) -> str:
        def run() -> None:
            with hooks(pack, unpack):
                y = (x * 1).exp()
            y.sum().backward()

        return error(run)

    off = m.autograd.graph.disable_saved_tensors_hooks

    def refused() -> None:
        with off("not now"), hooks(lambda t: t, lambda t: t):
            pass

    def late() -> None:
        with hooks(lambda t: t, lambda t: t), off("too late"):
            pass

    def fails(t: Any) -> Any:
        raise ValueError("no")

    return [
        through(lambda t: t.add_(1), lambda t: t), through(lambda t: 1, lambda t: 5), through(fails, lambda t: t),
        through(lambda t: t, fails), through(5, 6), error(refused), error(late), x.grad,
    ]  # fmt: skip


@story
def one_saved_tensor_gets_hooks_of_its_own(m: Any) -> Any:
    x, seen = leaf(m), []
    y = x.exp()
    z, tripled = x.exp(), x * 3  # PyTorch's raw saved tensors do not keep their nodes alive
    raw, writing = y.grad_fn._raw_saved_result, z.grad_fn._raw_saved_result
    found = [
        error(lambda: raw.register_hooks(lambda t: t, 5)),
        error(lambda: writing.register_hooks(lambda t: t.add_(1), print)),
        raw.data, raw.unpack_hook,
        raw.register_hooks(lambda t: (seen.append((repr(t), t.is_leaf)), 7.0)[1], lambda n: m.full((3,), n)),
        error(lambda: raw.register_hooks(lambda t: t, lambda t: t)), raw.data, raw.unpack_hook is None,
    ]  # fmt: skip
    y.sum().backward()
    found += [x.grad, error(lambda: raw.register_hooks(lambda t: t, lambda t: t)), raw.data]
    product = x * m.ones(3)
    none = product.grad_fn._raw_saved_self
    other = tripled.grad_fn._raw_saved_other
    return [*found, seen, none.data, error(lambda: none.register_hooks(print, print)), other.register_hooks(print, abs)]


@story
def what_was_saved_may_be_written_to_where_that_is_allowed(m: Any) -> Any:
    allow, x = m.autograd.graph.allow_mutation_on_saved_tensors, leaf(m)
    with allow() as context:
        u = x * 1
        y = u * u
        u.add_(1)
        y.sum().backward()
        z = u * u
        cleared = u * u
        context.clear()
        found = [error(lambda: cleared.sum().backward()), error(lambda: allow().__enter__())]
    return [x.grad, *found, error(lambda: z.sum().backward())]


def test_save_on_cpu_keeps_saved_tensors_in_a_file_that_goes_with_the_graph() -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    x, before = leaf(autograd_lab), open_files()
    with autograd_lab.autograd.graph.save_on_cpu():
        u = x * 1
        kept = weakref.ref(u)
        y = (u * u).exp()
    del u
    assert kept() is None
    assert not os.path.isdir("/proc/self/fd") or open_files() == before + 1
    y.sum().backward()
    assert open_files() == before
    z = leaf(autograd_lab)
    (z * z).exp().sum().backward()
    assert x.grad.equal(z.grad)


def test_hooks_close_no_cycle_with_the_graph() -> None:
    x = leaf(autograd_lab)
    gc.disable()
    try:
        with autograd_lab.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
            y = (x.exp() * x).sum()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_a_recording_shows_what_is_kept_in_place_of_a_saved_tensor() -> None:
    x = leaf(autograd_lab)
    with autograd_lab.record() as trace:
        with autograd_lab.autograd.graph.saved_tensors_hooks(lambda t: "elsewhere", lambda t: x):
            away = x * x
        with autograd_lab.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
            copied = x.exp()
        (away + copied).sum().backward()
    saves = [event for event in trace.events if type(event).__name__ == "TensorSaved"]
    assert [(event.slot, event.packed) for event in saves] == [("other", True), ("self", True), ("result", False)]
    assert [(event.tensor, event.nbytes) for event in saves[:2]] == [(None, 0)] * 2


# --- checkpoints ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_computes_again_what_backward_needs(reentrant: bool) -> None:
    def tell(m: Any) -> Any:
        checkpoint, x, ran = m.utils.checkpoint.checkpoint, leaf(m), []

        def f(a: Any, k: Any = 2) -> Any:
            ran.append(m.is_grad_enabled())
            return (a * a).exp() * k

        def check(function: Any, *args: Any, **kwargs: Any) -> Any:
            return checkpoint(function, *args, use_reentrant=reentrant, **kwargs)

        y = check(f, x)
        found = [y, list(ran)]
        y.sum().backward(retain_graph=True)
        y.sum().backward()
        found += [x.grad, list(ran), error(lambda: y.sum().backward())]
        z = check(f, x)
        found += [error(lambda: m.autograd.grad(z.sum(), x)), error(lambda: check(f, x, k=3)), check(f, x, 3)]
        u = x * 1
        stale = check(f, u)
        u.add_(1)
        found += [error(lambda: stale.sum().backward())]
        nested = check(lambda a: check(f, a * a) * a, x)
        found += [error(lambda: nested.sum().backward()), x.grad]
        pair = check(lambda a, b: (a * b, a + b), x, x)
        found += [error(lambda: pair[0].sum().backward()), x.grad]
        twice = check(f, x)
        found += [error(lambda: m.autograd.grad(twice.sum(), x, create_graph=True))]
        constant = check(lambda a: a.detach() * 1, x)
        found += [constant.requires_grad, error(lambda: constant.sum().backward())]
        steps = m.utils.checkpoint.checkpoint_sequential([m.exp, m.sin, m.cos], 2, x, use_reentrant=reentrant)
        with m.no_grad():
            found += [check(f, x).requires_grad, steps]
        return found

    assert said(autograd_lab, tell) == said(torch, tell)


@pytest.mark.parametrize("m", [autograd_lab, torch], ids=["here", "pytorch"])
@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_draws_the_same_random_numbers_again(m: Any, reentrant: bool) -> None:
    x = leaf(m)
    y = m.utils.checkpoint.checkpoint(lambda a: a * m.rand(3) * a, x, use_reentrant=reentrant)
    m.rand(7)
    y.sum().backward()
    assert m.allclose(x.grad, (2 * y / x).detach())


@story
def a_checkpoint_that_does_something_else_the_second_time_is_refused(m: Any) -> Any:
    x = leaf(m)

    def first_then(first: Any, then: Any, **options: Any) -> str:
        runs = [first, then]
        y = m.utils.checkpoint.checkpoint(lambda a: runs.pop(0)(a), x, use_reentrant=False, **options)
        return error(lambda: y.sum().backward())

    more, fewer, double = lambda a: (a * a).exp(), lambda a: a.exp(), lambda a: a.double().exp()
    return [
        first_then(more, fewer), first_then(fewer, more, early_stop=False), first_then(fewer, double),
        first_then(fewer, double, determinism_check="none"),
    ]  # fmt: skip


@story
def the_second_run_ends_when_all_is_there(m: Any) -> Any:
    ran: list[str] = []

    def f(a: Any) -> Any:
        y = a.exp()
        ran.append("needed")
        z = y + 1
        ran.append("not needed")
        return z

    tools, x = m.utils.checkpoint, leaf(m)
    tools.checkpoint(f, x, use_reentrant=False).sum().backward()
    with tools.set_checkpoint_early_stop(False):
        y = tools.checkpoint(f, x, use_reentrant=False)
    y.sum().backward()
    z = tools.checkpoint(lambda a: a.exp(), x, use_reentrant=False)
    return [ran, z.grad_fn._saved_result, z.grad_fn._saved_result]


@story
def arguments_of_checkpoint_that_are_mistakes(m: Any) -> Any:
    tools, x = m.utils.checkpoint, leaf(m)
    return [
        warned(lambda: tools.checkpoint(m.exp, x)), warned(lambda: tools.checkpoint_sequential([m.exp], 1, x)),
        warned(lambda: tools.checkpoint(m.exp, m.ones(2), use_reentrant=True)),
        error(lambda: tools.checkpoint(m.exp, x, use_reentrant=True, debug=True)),
        error(lambda: tools.checkpoint_sequential([m.exp], 1, x, use_reentrant=True, z=1)),
    ]  # fmt: skip


@story
def a_group_of_passes_runs_a_checkpoint_again_once(m: Any) -> Any:
    told: list[str] = []
    checkpoints = m.utils.checkpoint

    def function(a: Any) -> Any:
        told.append("run")
        y = a.sin().cos()
        return y, y.sin().cos()

    x = leaf(m)
    y, z = checkpoints.checkpoint(function, x, use_reentrant=False)
    with checkpoints.GraphExecGroup() as group:
        nested = error(checkpoints.GraphExecGroup().__enter__).split(" group")[0]
        (g,) = m.autograd.grad(z, y, m.ones(3))
        found = m.autograd.grad(y, x, g)
    z = checkpoints.checkpoint(function, x, use_reentrant=False)[1].sum()
    with group:
        z.backward(retain_graph=True)
        return [told, nested, found, error(z.backward)]
