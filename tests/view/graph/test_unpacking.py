"""What a hook packs is drawn as packed, and what runs to have it back is told apart; in both worlds."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.kit.part import Look
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene, make_scene
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


def pockets(scene: Scene, step: int) -> dict[str, Look]:
    """How the pockets look that there are at a step, by their op."""
    state = scene.state(step)
    looks = {part.of: scene.look(part, state) for part in scene.parts if part.kind == "slot"}
    return {of: look for of, look in looks.items() if "hidden" not in look.classes}


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
def test_slots_of_a_checkpoint_are_drawn_as_packed_until_they_are_freed(m: Any) -> None:
    scene = scene_of(checkpointed, m)
    before, after = (pockets(scene, step) for step in (scene.moments["forward"], scene.steps))
    packed = {of: look for of, look in before.items() if "packed" in look.classes}
    assert packed and all("packed" in look.text("title") for look in packed.values())
    assert all("freed" in look.classes and "packed" not in look.classes for look in after.values())
    assert set(after) == set(before)


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
def test_what_a_hook_packs_is_drawn_as_packed_with_a_parcel_and_never_cut(m: Any) -> None:
    scene = scene_of(offloaded, m)
    drawn = scene.svg(scene.moments["forward"])
    assert drawn.count('class="pocket packed"') == drawn.count('class="parcel"') == 2  # one of them is the key's
    assert ">2 packed<" in drawn and "pack…" not in drawn


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


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
def test_the_legend_explains_what_is_packed_where_nothing_else_is_saved(m: Any) -> None:
    scene = scene_of(offloaded, m)
    drawn = scene.svg(scene.moments["forward"])
    assert ">packed by a hook<" in drawn and ">saved<" not in drawn


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
def test_what_runs_in_backward_is_no_card_and_is_told(m: Any) -> None:
    scene = scene_of(checkpointed, m)
    assert isinstance(scene, RecordedScene)
    drawn = {op.id for card in scene.stills.picture.choice.cards.cards.values() for op in card.ops}
    again = {op.id for op in scene.history.ops.values() if op.unpacks}
    assert again and not drawn & again
    told = [scene.caption(step) for step in range(scene.steps + 1)]
    assert sum("this runs in backward" in one for one in told) == 2


@pytest.mark.parametrize("m", WORLDS, ids=lambda m: m.__name__)
def test_gradients_of_gradients_are_no_recomputation(m: Any) -> None:
    def twice(m: Any) -> Any:
        x = m.tensor(2.0, requires_grad=True)
        return m.autograd.grad(x**3, x, create_graph=True)

    assert not any(op.unpacks for op in history_of(recorded(twice, m)).ops.values())
