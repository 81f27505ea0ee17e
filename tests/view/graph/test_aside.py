"""Ops that have no part in a gradient are folded before anything that has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.view.graph.plan.fold import Fold, inside_of
from autograd_lab.view.scene import Scene, make_scene

WITHOUT = "ops without gradient"


def beside(scene: Scene) -> list[Fold]:
    return [fold for fold in scene.plan.folds if WITHOUT in fold.title]


def drawn(scene: Scene) -> set[str]:
    """The ops that are drawn by themselves."""
    folded = {op for fold in scene.plan.folds for op in fold.ops}
    return set(scene.looks.history.ops) - folded


def training(prepared: int, measured: int, deep: int = 9) -> Scene:
    """A chain of `deep` ops, whose input takes so many to make ready, and whose result so many are made of."""
    w = torch.tensor([1.5, -0.5], requires_grad=True)
    with record() as trace:
        data = torch.tensor([2.0, 3.0])
        for _ in range(prepared):
            data = data * 0.5
        out = data * w
        for _ in range(deep):
            out = torch.tanh(out)
        loss = out.sum()
        loss.backward()
        score = out.detach()
        for _ in range(measured):
            score = score + 1.0
    return make_scene(trace)


def test_in_a_large_picture_what_makes_data_ready_is_one_fold_and_the_graph_is_open() -> None:
    scene = training(prepared=20, measured=0)
    (fold,) = beside(scene)
    assert fold.title == f"19 {WITHOUT}"
    assert all(name in drawn(scene) for name, op in scene.looks.history.ops.items() if op.node is not None)


def test_what_the_graph_takes_is_drawn_with_its_value() -> None:
    scene = training(prepared=20, measured=0)
    taker = next(op for op in scene.looks.history.ops.values() if op.node is not None)
    taken = {scene.looks.history.boxes[use.box].op for use in taker.uses if use.box is not None}
    assert taken & set(drawn(scene))


def test_what_only_looks_at_results_is_one_fold() -> None:
    (fold,) = beside(training(prepared=0, measured=20))
    assert fold.title == f"21 {WITHOUT}"


def test_a_picture_that_can_be_read_hides_nothing() -> None:
    assert not training(prepared=4, measured=4, deep=2).plan.folds


def test_such_a_fold_opens_to_its_ops() -> None:
    scene = training(prepared=20, measured=0)
    (fold,) = beside(scene)
    inside, _ = inside_of(fold, scene.looks.history)
    assert len(inside) == 19


def test_what_made_backward_fail_is_drawn() -> None:
    w = torch.tensor([1.5, -0.5], requires_grad=True)
    with record() as trace, pytest.raises(RuntimeError):
        scale = torch.tensor([2.0, 3.0])
        for _ in range(30):
            scale = scale * 0.5
        loss = (scale * w).sum()
        scale.mul_(2)
        loss.backward()
    scene = make_scene(trace)
    assert scene.looks.history.culprits <= drawn(scene)


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.booleans()), min_size=30, max_size=50))
def test_in_any_program_no_line_leads_back_and_all_ops_are_accounted_for(chosen: Any) -> None:
    with record() as trace:
        known = [torch.tensor([1.0, 2.0]), torch.tensor([0.5, -0.5], requires_grad=True)]
        for one, other, cut in chosen:
            made = known[one % len(known)] * known[other % len(known)]
            known.append(made.detach() if cut else made)
    scene = make_scene(trace)
    place = {op: at for at, item in enumerate(_items(scene)) for op in item}
    assert sorted(place) == sorted(scene.looks.history.ops)
    for op in scene.looks.history.ops.values():
        for use in op.uses:
            maker = None if use.box is None else scene.looks.history.boxes[use.box].op
            assert maker is None or place[maker] <= place[op.id]


def _items(scene: Scene) -> list[tuple[str, ...]]:
    """The ops of each cell that has any, in the order in which they are drawn."""
    folds = {fold.id: fold.ops for fold in scene.plan.folds}
    return [
        folds.get(cell.id, (cell.id,))
        for cell in scene.plan.cells
        if cell.id in folds or cell.id in scene.looks.history.ops
    ]
