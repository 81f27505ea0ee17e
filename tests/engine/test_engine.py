"""What the engine promises beside PyTorch's words: depth, memory, and what it tells a recorder."""

from __future__ import annotations

import copy
import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograd_lab as lab
from autograd_lab import listening
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.forward.kinds import RULES


class Listener:
    """Keeps every call that the engine makes, as (name, arguments)."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: self.heard.append((name, args))

    def names(self) -> list[str]:
        return [name for name, _ in self.heard]

    def told(self, name: str) -> list[tuple[Any, ...]]:
        return [args for each, args in self.heard if each == name]


@pytest.fixture
def listener() -> Iterator[Listener]:
    before, listening.active = listening.active, Listener()
    yield listening.active
    listening.active = before


def leaf(*numbers: float) -> lab.Tensor:
    return lab.tensor(numbers or (1.0, 2.0, 3.0), requires_grad=True)


def number(value: Any) -> float:
    return float(np.asarray(getattr(value, "_array", value)).item())


# --- depth and memory ----------------------------------------------------------------------------------------------


def test_a_chain_of_100_000_nodes_builds_runs_and_is_freed() -> None:
    x = lab.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + x
    node = weakref.ref(y.grad_fn)
    y.backward()
    assert x.grad.item() == 100_001
    del y
    assert node() is None


def test_a_chain_of_products_is_freed_while_it_holds_saved_tensors() -> None:
    x = lab.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y * x
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_a_chain_of_writes_in_place_builds_and_runs() -> None:
    x = leaf()
    y = x * 1
    for _ in range(2_000):
        y[0] *= 1.0
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_dropping_the_result_frees_the_graph_at_once_without_the_collector() -> None:
    gc.disable()
    try:
        x = leaf()
        y = ((x * x).exp() / x.relu()).softmax(0).sum()
        watched = [weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.next_functions[0][0])]
        del y
        assert [watch() for watch in watched] == [None, None]
    finally:
        gc.enable()


def test_saved_arrays_are_released_right_after_their_node_ran() -> None:
    x = leaf()
    y = x * 1
    z = y * y
    watch = weakref.ref(y._array)
    seen = []
    x.register_hook(lambda g: seen.append(watch() is None))
    loss = z.sum()
    del y, z
    loss.backward()
    assert seen == [True]


def test_what_only_a_write_to_a_part_led_to_is_let_go_once_backward_has_passed() -> None:
    whole = lab.ones(3, requires_grad=True).clone()
    part = whole[:1]
    looked = weakref.ref(part.grad_fn)
    part *= 2
    del part
    total = whole.sum()
    total.backward(retain_graph=True)
    assert looked() is not None
    total.backward()
    assert looked() is None


def test_an_accumulator_lives_as_long_as_a_graph_uses_it() -> None:
    x = leaf()
    y = x * 2
    watch = weakref.ref(y.grad_fn.next_functions[0][0])
    assert watch() is (x + 1).grad_fn.next_functions[0][0]
    del y
    assert watch() is None


def test_a_leaf_used_10_000_times_sums_once() -> None:
    x = lab.tensor(2.0, requires_grad=True)
    seen = []
    x.register_hook(lambda g: seen.append(g.item()))
    y = x * 0
    for _ in range(10_000):
        y = y + x
    y.backward()
    assert seen == [10_000.0]


# --- what no other world can be asked about -------------------------------------------------------------------------


def test_backward_with_a_graph_warns_of_the_cycle() -> None:
    with pytest.warns(UserWarning, match="reference cycle"):
        (leaf() * 2).sum().backward(create_graph=True)


def test_no_numpy_warning_reaches_the_user() -> None:
    program = """
import autograd_lab as torch
x = torch.tensor([0.0, -1.0, 1e38], requires_grad=True)
y = (1 / x + x.log() + x * 1e38 + x.sqrt()).sum()
y.backward()
print(y)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("tensor(nan, grad_fn=<SumBackward0>)\n", "")


def test_nodes_can_be_copied_and_compared() -> None:
    x = leaf()
    node = (x * 2).grad_fn
    assert node == node and len({node, node}) == 1
    assert copy.copy(lab.Size([1, 2])) == lab.Size([1, 2])


def test_only_the_cpu_is_a_device() -> None:
    assert lab.ones(2, device="cpu").tolist() == [1.0, 1.0]
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        lab.ones(2, device="cuda")


def test_seeds_repeat_random_numbers() -> None:
    lab.manual_seed(3)
    first = lab.randn(4).tolist()
    lab.manual_seed(3)
    assert lab.randn(4).tolist() == first


# --- what a recorder hears -----------------------------------------------------------------------------------------


def test_forward_ops_are_told_with_node_operands_and_outputs(listener: Listener) -> None:
    a = leaf()
    b = a * 2
    with lab.no_grad():
        c = b.exp()
    d = a > 1
    assert listener.names() == [
        "tensor_created", "op_applied", "grad_mode_changed", "op_applied", "grad_mode_changed", "op_applied",
    ]  # fmt: skip
    product, exponential, comparison = listener.told("op_applied")
    assert product[0] is b.grad_fn and product[1] == "MulBackward0" and product[2] == (a, 2) and product[3] == (b,)
    assert exponential[:2] == (None, "exp") and exponential[2][0] is b and exponential[3][0] is c
    assert comparison[:2] == (None, "gt") and comparison[3][0] is d


def test_operands_align_with_edges(listener: Listener) -> None:
    x = leaf()
    mask = x > 1
    makers = [
        lambda: x + 1, lambda: lab.where(mask, x, 0.0), lambda: x[[0, 1]], lambda: x.masked_fill(mask, 0.0),
        lambda: lab.cat([x, x]), lambda: x.sum(0), lambda: x.view(3, 1), lambda: x**2, lambda: 1 - x,
        lambda: x.softmax(0),
        lambda: x[1:], lambda: x.max(0)[0], lambda: x.clamp(0, 1), lambda: x.split(1)[0],
    ]  # fmt: skip
    listener.heard.clear()
    made = [make() for make in makers]
    for tensor, args in zip(made, listener.told("op_applied"), strict=True):
        node, _, operands, outputs, *_ = args
        assert node is tensor.grad_fn and outputs[0] is tensor
        assert all(isinstance(operand, lab.Tensor | int | float) for operand in operands), node
        for operand, (target, _) in zip(operands, node.next_functions, strict=False):
            assert target is None or target is x.grad_fn or target.variable is operand


def test_a_backward_pass_is_told_step_by_step(listener: Listener) -> None:
    a, b = lab.tensor(2.0, requires_grad=True), lab.tensor(3.0, requires_grad=True)
    y = (a + b) * (b + 1)
    listener.heard.clear()
    y.backward()
    assert listener.names() == [
        "backward_started",
        "node_visited", "node_evaluated", "saved_freed", "gradient_sent", "gradient_sent",
        "node_visited", "node_evaluated", "gradient_sent",
        "node_visited", "node_evaluated", "gradient_sent", "gradient_sent", "gradients_added",
        "node_visited", "grad_accumulated", "node_visited", "grad_accumulated",
        "backward_finished",
    ]  # fmt: skip
    sent = [(number(g), arrived, expected) for _, _, g, arrived, expected in listener.told("gradient_sent")]
    assert sent == [(4.0, 1, 1), (5.0, 1, 1), (5.0, 1, 2), (4.0, 1, 1), (4.0, 2, 2)]
    assert [number(total) for _, _, total in listener.told("gradients_added")] == [9.0]
    assert [(t, number(g), first) for t, g, first in listener.told("grad_accumulated")] == [
        (a, 4.0, True),
        (b, 9.0, True),
    ]


def test_retained_graphs_keep_what_they_saved(listener: Listener) -> None:
    x = leaf()
    y = (x * x).sum()
    y.backward(retain_graph=True)
    assert "saved_retained" in listener.names() and "saved_freed" not in listener.names()


def test_a_node_tells_its_saved_slots_and_plain_values() -> None:
    x, k = leaf(), lab.ones(3)
    product, power = (x * k).grad_fn, (x**3).grad_fn
    assert [(slot, source) for slot, source, _, _ in product.saved_slots()] == [("other", k), ("self", None)]
    assert power.attributes() == {"exponent": 3}
    assert [slot[:2] for slot in x.exp().grad_fn.saved_slots()] == [("result", 0)]
    name, source, array, version = (x * 2).grad_fn.saved_slots()[0]
    assert (name, source.tolist(), array.tolist(), version) == ("other", 2, 2, 0)
    assert [slot[0] for slot in x[[0, 1]].grad_fn.saved_slots()] == ["indices"]


def test_writes_are_told_after_the_version_moved(listener: Listener) -> None:
    x = leaf()
    u = x * 1
    listener.heard.clear()
    u.add_(1)
    k = lab.zeros(3)
    k.mul_(2)
    applied = listener.told("op_applied")[0]
    assert applied[0] is u.grad_fn and applied[3] == (u,) and applied[4] is True and u._version == 1
    assert listener.told("tensor_modified") == [(k, "mul_")]


def test_a_refused_write_is_told_before_it_is_raised(listener: Listener) -> None:
    x = leaf()
    with pytest.raises(RuntimeError):
        x.add_(1)
    (error, node, slot, tensor), *_ = listener.told("error_raised")
    assert str(error).startswith("a leaf Variable") and node is None and slot is None and tensor is x


def test_a_stale_slot_is_told_before_the_error_is_raised(listener: Listener) -> None:
    u = leaf() * 1
    y = u * u
    u.add_(1)
    with pytest.raises(RuntimeError):
        y.sum().backward()
    (_, node, slot, _), *_ = listener.told("error_raised")
    assert node is y.grad_fn and slot == "other"  # PyTorch unpacks the slots by name


def test_detaching_flags_hooks_and_gradients_are_told(listener: Listener) -> None:
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.detach()
    assert y.data is not y
    y.register_hook(lambda g: g * 2)
    k = lab.ones(2).requires_grad_()
    k.grad = lab.ones(2)
    y.sum().backward()
    names = listener.names()
    for name in ("grad_retained", "hook_registered", "requires_grad_changed", "grad_assigned", "hook_called"):
        assert name in names, name
    assert [how for _, _, how in listener.told("detached")] == ["detach", "data"]
    kind, _, node, before, after = listener.told("hook_called")[0]
    assert kind == "tensor" and node is y.grad_fn and [g.tolist() for g in (*before, *after)] == [[1.0] * 3, [2.0] * 3]


def test_formulas_are_told_only_when_they_make_a_graph(listener: Listener) -> None:
    x = leaf()
    y = (x * x).sum()
    listener.heard.clear()
    lab.autograd.grad(y, x, retain_graph=True)
    assert "op_applied" not in listener.names()
    lab.autograd.grad(y, x, create_graph=True)
    assert "op_applied" in listener.names()


def test_a_recording_tells_the_whole_story() -> None:
    with lab.record() as trace:
        x = leaf()
        y = (x * x).exp()[0]
        y.backward()
    kinds = [event.kind for event in trace]
    assert kinds[0] == "tensor_created" and "tensor_saved" in kinds and kinds.count("saved_freed") == 2


def test_mistakes_in_a_recording_are_the_same_mistakes() -> None:
    with lab.record() as trace:
        x = leaf()
        y = (x * x).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()
    assert any(event.kind == "error_raised" for event in trace)


def declared_by(op: type[Node]) -> set[str]:
    """The plain values in the body of an op's class, without those that it annotates itself."""
    own = {name for name, value in vars(op).items() if isinstance(value, (bool, int, str, tuple))}
    return {name for name in own if not name.startswith("_")} - set(op.__annotations__)


def subclasses(cls: type) -> Iterator[type]:
    for each in cls.__subclasses__():
        yield each
        yield from subclasses(each)


def test_an_op_declares_nothing_that_nodes_do_not_know() -> None:
    """A misspelt declaration would go unnoticed: `takes_numbr` says nothing of numbers."""
    unknown = {op.__name__: declared_by(op) - set(dir(op.__base__)) - set(dir(Node)) for op in subclasses(Node)}
    assert not {name: names for name, names in unknown.items() if names}


def test_each_tangent_that_an_op_declares_has_a_rule_and_each_rule_an_op() -> None:
    assert lab.nn.functional  # which brings the losses
    assert {op.tangent for op in subclasses(Node) if op.tangent} == set(RULES)
    assert all(hasattr(op, "pushed") for op in subclasses(Node) if op.tangent == "own")


def test_the_number_that_a_gradient_is_divided_by_is_told(listener: Listener) -> None:
    x = lab.tensor([1.0, 2.0], requires_grad=True)
    lab.autograd.grad(x.mean(), x, create_graph=True)
    divisions = [operands for _, name, operands, *_ in listener.told("op_applied") if name == "div"]
    assert [number for _, number in divisions] == [2]
