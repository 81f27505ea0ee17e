"""Recording: what is told, in which order, by which names, and that watching changes nothing."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import autograd_lab as torch
from autograd_lab import listening, record
from autograd_lab.events import (
    BackwardStarted,
    ErrorRaised,
    GradAccumulated,
    GradientSent,
    GradModeChanged,
    GraphReleased,
    NodeMet,
    NodeVisited,
    OpApplied,
    TensorCreated,
    TensorDetached,
    TensorModified,
    TensorSaved,
)
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.timeline import states


def kinds(trace: Trace) -> list[str]:
    return [event.kind for event in trace]


def names(trace: Trace) -> list[str | None]:
    """The names of all tensors, in the order of their ids."""
    found: dict[str, str | None] = {}
    for event in trace:
        if isinstance(event, TensorCreated | TensorDetached):
            found[event.tensor.id] = event.tensor.name
        if isinstance(event, OpApplied):
            found |= {facts.id: facts.name for facts in event.outputs}
    return list(found.values())


def test_the_story_of_a_product_is_told_in_pytorchs_order() -> None:
    with record() as trace:
        x = torch.tensor(3.0, requires_grad=True)
        y = x * x
        y.backward()
    assert kinds(trace) == [
        "tensor_created",
        "op_applied",
        "tensor_saved",
        "tensor_saved",
        "backward_started",
        "node_visited",
        "node_evaluated",
        "saved_freed",
        "gradient_sent",
        "gradient_sent",
        "gradients_added",
        "node_visited",
        "grad_accumulated",
        "backward_finished",
    ]


def test_saves_name_slot_version_and_bytes() -> None:
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2 * x
        assert y.shape == (2,)
    saves = [(e.slot, e.tensor, e.number, e.nbytes, e.version) for e in trace if isinstance(e, TensorSaved)]
    assert saves == [("other", None, 2, 8, 0), ("other", "t0", None, 8, 0), ("self", "t1", None, 8, 0)]


def test_arrivals_are_counted_against_what_is_expected() -> None:
    with record() as trace:
        x = torch.tensor(3.0, requires_grad=True)
        (x * x + x).backward()
    leaf = [e for e in trace if isinstance(e, GradientSent) and e.expected == 3]
    assert [e.arrived for e in leaf] == [1, 2, 3]


def test_nodes_are_visited_in_pytorchs_order() -> None:
    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        (x * x + 3 * x + 1).backward()
    made = {e.node: e.name for e in trace if isinstance(e, OpApplied)}
    visited = [made.get(e.node, "AccumulateGrad") for e in trace if isinstance(e, NodeVisited)]
    assert visited == ["AddBackward0", "AddBackward0", "MulBackward0", "MulBackward0", "AccumulateGrad"]


def test_every_event_of_the_program_points_at_its_line() -> None:
    with record() as trace:
        x = torch.tensor(3.0, requires_grad=True)
        y = x * x
        y.backward()
    texts = {event.kind: event.where.text for event in trace if event.where is not None}
    assert texts["tensor_created"] == "x = torch.tensor(3.0, requires_grad=True)"
    assert texts["op_applied"] == texts["tensor_saved"] == "y = x * x"
    assert texts["grad_accumulated"] == "y.backward()"
    assert all(event.where is not None and event.where.file.endswith("test_recorder.py") for event in trace)


def test_tensors_are_called_after_the_variables_they_are_assigned_to() -> None:
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        b = a + 1
        c, d = b * 2, (b * 3) * 4
        assert c.item() != d.item()
    assert names(trace) == ["a", "b", None, None, None]


def double(value: Any) -> Any:
    return value * 2


def test_a_tensor_that_a_function_returned_is_called_after_the_callers_variable() -> None:
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        result = double(a)
        result.backward()
    assert names(trace) == ["a", "result"]


def test_the_steps_inside_one_expression_do_not_take_its_name() -> None:
    with record() as trace:
        a = torch.tensor([2.0, 1.0], requires_grad=True)
        b = torch.softmax(a, 0).log().sum()
        assert b.shape == ()
    assert names(trace)[-1] == "b"
    assert names(trace).count("b") == 1


def test_the_steps_inside_one_call_are_called_after_their_ops() -> None:
    with record() as trace:
        w, x = torch.ones(2, 3, requires_grad=True), torch.ones(1, 3)
        for _ in range(2):
            y = torch.nn.functional.linear(x, w, w[:, 0]) * 2
        assert y.shape == (1, 2)
    made = [out.name or out.expression for event in trace if isinstance(event, OpApplied) for out in event.outputs]
    call = "torch.nn.functional.linear(x, w, w[:, 0])"
    assert made == ["w[:, 0]", "t(…)", call, "y"] * 2


def test_a_name_that_is_used_again_in_a_loop_is_given_to_each_of_its_tensors() -> None:
    with record() as trace:
        y = torch.tensor(2.0, requires_grad=True)
        for _ in range(3):
            y = y * 2
    assert names(trace) == ["y"] * 4


def test_a_tensor_from_before_the_recording_is_met_by_its_name() -> None:
    early = torch.tensor(2.0, requires_grad=True)
    with record() as trace:
        y = early * 2
        assert y.item() == 4.0
    assert names(trace) == ["early", "y"]


def test_a_graph_from_before_the_recording_is_met_with_what_it_saved() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * x
    loss = (h * 3).sum()
    with record() as trace:
        loss.backward()
    met = [(event.name, event.outputs[0].name) for event in trace if isinstance(event, NodeMet)]
    assert met == [("MulBackward0", None), ("MulBackward0", None), ("SumBackward0", "loss")]
    saved = [(event.slot, event.number) for event in trace if isinstance(event, TensorSaved)]
    assert saved == [("other", None), ("self", None), ("other", 3)]
    assert names(trace) == ["x"]
    assert x.grad is not None and kinds(trace)[-1] == "backward_finished"


class Layer:
    def __init__(self) -> None:
        self.weight = torch.tensor(3.0, requires_grad=True)

    def __call__(self, x: Any) -> Any:
        return x * self.weight


def test_an_attribute_is_a_name_too() -> None:
    layer = Layer()
    with record() as trace:
        y = layer(torch.tensor(1.0))
        y.backward()
    assert names(trace) == ["x", "self.weight", "y"]


def test_names_can_be_given() -> None:
    tensor = torch.tensor(2.0, requires_grad=True)
    with record(**{"the weight": tensor}) as trace:
        y = tensor * 2
        assert y.item() == 4.0
    assert names(trace) == ["the weight", "y"]


def test_a_recording_holds_no_tensor_and_no_node() -> None:
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * x
        array, node = weakref.ref(y._array), weakref.ref(y.grad_fn)
        del y
        gc.collect()
        assert array() is None and node() is None
    assert len(trace) > 0


def test_the_graph_is_told_to_be_released_when_python_lets_go_of_it() -> None:
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = (x * 2).exp().sum()
        del y
    (released,) = [event for event in trace if isinstance(event, GraphReleased)]
    made = {event.node for event in trace if isinstance(event, OpApplied)}
    assert made <= set(released.nodes)


def test_a_write_moves_the_version_and_tells_its_line() -> None:
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        h = x * 2
        h.add_(1)
        h.mul_(3)
    writes = [(e.version, e.value.numbers, e.where and e.where.text) for e in trace if isinstance(e, TensorModified)]
    assert writes == [(1, [3.0, 5.0], "h.add_(1)"), (2, [9.0, 15.0], "h.mul_(3)")]


def test_detached_tensors_share_what_pytorch_lets_them_share() -> None:
    with record() as trace:
        x = torch.tensor([1.0], requires_grad=True)
        d, e = x.detach(), x.data
        assert d.shape == e.shape
    created = next(event.tensor for event in trace if isinstance(event, TensorCreated))
    detached = {event.how: event.tensor for event in trace if isinstance(event, TensorDetached)}
    assert detached["detach"].counter == created.counter
    assert detached["data"].counter != created.counter
    assert detached["detach"].storage == detached["data"].storage == created.storage


def test_grad_mode_is_told_only_when_it_changes() -> None:
    with record() as trace, torch.no_grad(), torch.no_grad():
        torch.tensor(1.0) * 2
    assert [event.enabled for event in trace if isinstance(event, GradModeChanged)] == [False, True]


def test_a_second_pass_adds_to_the_same_grad() -> None:
    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        (x * 3).backward()
        (x * 4).backward()
    stored = [event for event in trace if isinstance(event, GradAccumulated)]
    assert [(event.added.numbers, event.total.numbers) for event in stored] == [(3.0, 3.0), (4.0, 7.0)]
    assert stored[0].grad == stored[1].grad


def test_the_flag_of_retaining_is_told() -> None:
    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        y = x * x
        y.backward(retain_graph=True)
        y.backward()
    assert [e.retain_graph for e in trace if isinstance(e, BackwardStarted)] == [True, False]
    assert kinds(trace).count("saved_retained") == kinds(trace).count("saved_freed") == 1


def test_an_error_of_the_program_is_told_once_with_its_line_and_goes_on_its_way() -> None:
    with pytest.raises(ZeroDivisionError), record() as trace:
        torch.tensor(1.0, requires_grad=True) * (1 / 0)
    (error,) = [event for event in trace if isinstance(event, ErrorRaised)]
    assert (error.error, error.message) == ("ZeroDivisionError", "division by zero")
    assert error.where is not None and "(1 / 0)" in error.where.text


def test_a_refused_write_is_told_once_with_its_tensor() -> None:
    with pytest.raises(RuntimeError), record() as trace:
        x = torch.tensor(1.0, requires_grad=True)
        x.add_(1)
    (error,) = [event for event in trace if isinstance(event, ErrorRaised)]
    assert error.tensor == "t0"


def test_recordings_nest_and_the_outer_one_hears_all() -> None:
    with record() as outer:
        x = torch.tensor(2.0, requires_grad=True)
        with record() as inner:
            y = x * 2
        y.backward()
    assert kinds(inner) == ["tensor_created", "op_applied", "tensor_saved"]
    assert kinds(outer)[:3] == ["tensor_created", "op_applied", "tensor_saved"]
    assert kinds(outer)[-1] == "backward_finished"
    assert listening.active is None


def test_a_trace_can_be_read_while_it_grows() -> None:
    with record() as trace:
        torch.tensor(2.0, requires_grad=True)
        assert len(trace) == 1
        torch.tensor(2.0, requires_grad=True)
        assert len(trace) == 2


def test_nobody_listens_after_the_recording() -> None:
    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        y = x * x
    count = len(trace)
    y.backward()
    del y
    assert len(trace) == count


def program() -> tuple[Any, Any, str]:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).exp().sum()
    y.backward()
    return y.item(), x.grad.tolist(), repr(y)


def test_watching_does_not_change_what_is_watched() -> None:
    alone = program()
    with record():
        watched = program()
    assert alone == watched


@pytest.mark.parametrize(
    "made",
    [
        "rand(3)",
        "randn(3)",
        "randint(1,9,(3,))",
        "randperm(3)",
        "normal(0.0,1.0,(3,))",
        "arange(1,4)",
        "linspace(1,2,3)",
        "eye(2)",
        "full((2,),7)",
        "rand_like(ones(3))",
        "randn_like(ones(3))",
        "tensor([5,6])",
        "bernoulli(full((3,),1.0))",
        "zeros(3).uniform_(1,2)",
        "nn.Linear(2,2,bias=False).weight",
    ],
)
def test_a_new_tensor_is_told_of_with_the_values_that_it_has(made: str) -> None:
    with record() as trace:
        x = eval(made, vars(torch) | {"nn": torch.nn})
    *_, last = states(trace)
    *_, tensor = last.tensors.values()
    np.testing.assert_allclose(tensor.value.numbers, x.detach().tolist(), rtol=1e-6)


def test_a_result_that_a_hook_keeps_as_another_object_is_the_same_tensor() -> None:
    x = torch.ones(3, requires_grad=True)
    with record() as trace, torch.autograd.graph.saved_tensors_hooks(lambda kept: kept, lambda kept: kept):
        y = (x * x).exp()
    applied = next(event for event in trace if isinstance(event, OpApplied) and event.name == "ExpBackward0")
    saved = next(event for event in trace if isinstance(event, TensorSaved) and event.node == applied.node)
    assert (saved.slot, saved.tensor) == ("result", applied.outputs[0].id)
    del y
