"""What a hook packs is drawn as packed, and what runs to have it back is told apart; in both worlds."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.legend import ENTRIES
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.svg import scene_svg
from tests.story import recorded

torch = pytest.importorskip("torch")
WORLDS = [autograd_lab, torch]


def block(w: Any) -> Any:
    return lambda h: (h * w).tanh() * w


def checkpointed(m: Any, reentrant: bool = False) -> Any:
    w, x = m.tensor([0.5, 2.0], requires_grad=True), m.tensor([1.0, -1.0], requires_grad=True)
    h = m.utils.checkpoint.checkpoint(block(w), x, use_reentrant=reentrant)
    loss = (h * h).sum()
    loss.backward()
    return w.grad


def offloaded(m: Any) -> Any:
    w = m.tensor([0.5, 2.0], requires_grad=True)
    with m.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), m.tensor):
        loss = (w * w).sum()
    loss.backward()
    return w.grad


def scene_of(program: Any, m: Any) -> Scene:
    return make_scene(recorded(program, m))


def looks(scene: Scene, step: int, kind: str) -> list[Any]:
    state = scene.state(step)
    return [
        look for part in scene.parts if part.kind == kind and "hidden" not in (look := scene.look(part, state)).classes
    ]


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
def test_slots_of_a_checkpoint_are_drawn_as_packed_until_they_are_freed(m: Any) -> None:
    scene = scene_of(checkpointed, m)
    before, after = (looks(scene, step, "slot") for step in (scene.moments["forward"], scene.steps))
    packed = [look for look in before if "packed" in look.classes]
    assert len(packed) == 5
    assert {look.text("state") for look in packed} == {"packed by a hook"}
    assert all("freed" in look.classes and "packed" not in look.classes for look in after)


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
@pytest.mark.parametrize(("reentrant", "again"), [(False, 3), (True, 3)])
def test_what_a_checkpoint_computes_again_is_told_apart_from_the_first_time(
    m: Any, reentrant: bool, again: int
) -> None:
    history = history_of(recorded(lambda m: checkpointed(m, reentrant), m))
    ops = [op for op in history.ops.values() if op.unpacks and op.node is not None]
    assert len(ops) in (again - 1, again)  # the last one need not be finished
    assert {op.event.where.text.strip() for op in ops} == {"return lambda h: (h * w).tanh() * w"}
    assert not any(op.unpacks for op in history.ops.values() if op.name == "SumBackward0")


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
def test_captions_tell_where_a_saved_value_goes_and_that_it_comes_back(m: Any) -> None:
    scene = scene_of(offloaded, m)
    told = [scene.caption(step) for step in range(scene.steps + 1)]
    assert "MulBackward0 hands self to a pack hook instead of keeping it (0 B here)." in told
    assert any("which has back what it gave to a pack hook, turns" in one for one in told)
    assert "0 B" in next(one for one in told if "lets go of what it saved" in one)


def test_the_picture_explains_both_signs() -> None:
    scene = scene_of(checkpointed, autograd_lab)
    middle = next(step for step in range(scene.steps) if "this runs in backward" in scene.caption(step))
    drawn = scene_svg(scene, middle)
    assert "· for backward" in drawn
    for meaning in ("packed by a hook", "runs to unpack it"):
        assert meaning in drawn
        assert meaning in {entry.meaning for entry in ENTRIES}


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
def test_gradients_of_gradients_are_no_recomputation(m: Any) -> None:
    def twice(m: Any) -> Any:
        x = m.tensor(2.0, requires_grad=True)
        return m.autograd.grad(x**3, x, create_graph=True)

    assert not any(op.unpacks for op in history_of(recorded(twice, m)).ops.values())
