"""A picture of a graph that nobody recorded: what can still be known of it, of both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import autograd_lab
from autograd_lab import draw
from autograd_lab.display.afterwards import trace_of
from autograd_lab.events import GradAssigned, NodeMet, TensorCreated, TensorSaved
from autograd_lab.view.subject import NothingToDraw

torch = pytest.importorskip("torch")

both = pytest.mark.parametrize("world", [autograd_lab, torch], ids=["here", "PyTorch"])


def product(world: Any) -> Any:
    w = world.tensor([1.0, 2.0], requires_grad=True)
    h = w * world.tensor([3.0, 4.0])
    return w, h, (h.exp() * h).sum()


@both
def test_nodes_are_told_each_after_what_it_leads_to(world: Any) -> None:
    *_, loss = product(world)
    nodes = [event.name for event in trace_of(loss) if isinstance(event, NodeMet)]
    assert nodes == ["MulBackward0", "ExpBackward0", "MulBackward0", "SumBackward0"]


@both
def test_what_is_saved_is_told_with_its_version(world: Any) -> None:
    _, h, loss = product(world)
    h.detach().add_(1)
    saved = [(one.slot, one.version) for one in trace_of(loss) if isinstance(one, TensorSaved)]
    assert saved == [("other", 0), ("result", 0), ("other", 0), ("self", 0)]
    made = [one.outputs[0].version for one in trace_of(loss) if isinstance(one, NodeMet)]
    assert made == [1, 0, 0, 0]  # h was written to since


@both
def test_freed_values_are_not_told(world: Any) -> None:
    *_, loss = product(world)
    loss.backward()
    assert not [one for one in trace_of(loss) if isinstance(one, TensorSaved)]


@both
def test_gradients_of_leaves_are_told(world: Any) -> None:
    w, _, loss = product(world)
    loss.backward()
    (told,) = (one for one in trace_of(loss) if isinstance(one, GradAssigned))
    assert told.value is not None and told.value.numbers == pytest.approx(w.grad.tolist())


@both
def test_variables_of_the_caller_and_params_give_names(world: Any) -> None:
    w, h, loss = product(world)
    trace = trace_of(loss, params={"weight": w})
    names = {one.tensor.name for one in trace if isinstance(one, TensorCreated)}
    assert "weight" in names
    assert {one.outputs[0].name for one in trace if isinstance(one, NodeMet)} >= {"h", "loss"}
    assert h is not None


@both
def test_a_module_gives_names_too(world: Any) -> None:
    model = world.nn.Linear(2, 1)
    trace = trace_of(model(world.ones(3, 2)).sum(), params=model)
    assert {"weight", "bias"} <= {one.tensor.name for one in trace if isinstance(one, TensorCreated)}


@both
def test_to_draw_changes_nothing(world: Any) -> None:
    _, h, loss = product(world)
    draw(loss)
    assert loss.grad_fn.metadata == {} and h._version == 0
    loss.backward()


@both
def test_hooks_that_unpack_are_not_called(world: Any) -> None:
    calls = []
    with world.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda t: calls.append(t) or world.tensor(t)):
        *_, loss = product(world)
    draw(loss)
    assert not calls


@both
def test_a_deep_graph_is_walked_without_recursion(world: Any) -> None:
    x = world.ones(1, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y + 1
    assert len([one for one in trace_of(y) if isinstance(one, NodeMet)]) == 3000


@both
def test_a_picture_is_written_by_its_suffix_and_shown_in_notebooks(world: Any, tmp_path: Path) -> None:
    *_, loss = product(world)
    picture = draw(loss, tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")
    assert "MulBackward0" in picture.save(tmp_path / "graph.svg").read_text()
    bundle, told = picture._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/png"}
    assert picture.scene.caption(picture.step) in told["image/png"]["alt"]


@both
def test_what_cannot_be_drawn_is_told(world: Any) -> None:
    with pytest.raises(NothingToDraw, match="requires_grad"):
        draw(world.ones(2) * 2)
    with pytest.raises(TypeError, match="not of 'int'"):
        draw(3)
    with pytest.raises(IndexError, match="no step 99"):
        draw(world.ones(2, requires_grad=True).sum(), step=99)


def test_a_picture_is_drawn_at_a_moment_as_on_the_command_line() -> None:
    with autograd_lab.record() as trace:
        x = autograd_lab.tensor(2.0, requires_grad=True)
        (x * x).backward()
    assert draw(trace, at="forward").step == 4
    assert draw(trace, at="end").step == len(trace)
    with pytest.raises(ValueError, match="no moment 'error'; it has end, forward, backward"):
        draw(trace, at="error")
    with pytest.raises(ValueError, match="both say when"):
        draw(trace, step=1, at="end")
