"""What folds hide can be opened where they stand, and nothing of it is lost, doubled or untrue."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import nn, record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.pages import inset
from autograd_lab.view.pages.inset import Unfolded, unfolded
from autograd_lab.view.scene import FRAME_KINDS, make_scene
from autograd_lab.view.track import look_at
from tests.view.graph.test_folding import trained
from tests.view.layout.test_layout import points


def looped(turns: int) -> Trace:
    with record() as trace:
        w = torch.tensor(1.01, requires_grad=True)
        h = torch.tensor(0.5)
        for _ in range(turns):
            h = torch.tanh(h * w)
        h.backward()
    return trace


def opened(trace: Trace, direction: str = "LR") -> Unfolded:
    return unfolded(make_scene(trace, direction=direction))  # type: ignore[arg-type]  # it is one of the two


TRACES = {
    "modules": lambda: trained(12),
    "loop": lambda: looped(100),
    "both": lambda: run_script(find_script("transformer")).trace,
}


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("name", ["modules", "loop"])
def test_what_is_drawn_and_what_insets_show_is_every_op_once(name: str, direction: str) -> None:
    whole = opened(TRACES[name](), direction)
    assert whole.insets
    pills = [part.of for part in whole.scene.parts if part.kind == "pill"]
    closed = {op for fold in whole.scene.looks.folds.values() if fold.id not in whole.insets for op in fold.ops}
    assert len(pills) == len(set(pills))
    assert set(pills) | closed == set(whole.scene.looks.history.ops)
    names = [part.id for part in whole.scene.parts]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", TRACES)
def test_all_of_an_inset_lies_on_its_panel_and_the_panel_where_the_fold_stands(name: str) -> None:
    whole = opened(TRACES[name]())
    by_id = {part.id: part for part in whole.scene.parts}
    for fold, (panel, *parts) in whole.insets.items():
        assert (panel.x, panel.y) == (by_id[fold].x, by_id[fold].y)
        for part in parts:
            corners = whole.scene.routes.get(part.id) or [(part.x, part.y), (part.x + part.width, part.y + part.height)]
            for x, y in points(corners) if part.id in whole.scene.routes else corners:
                assert panel.x - 1 <= x <= panel.x + panel.width + 1, (fold, part)
                assert panel.y - 1 <= y <= panel.y + panel.height + 1, (fold, part)


def test_many_modules_open_one_by_one_and_turns_of_a_loop_in_numbered_groups() -> None:
    whole = opened(TRACES["both"]())
    assert [whole.scene.looks.folds[f"f5.{n}"].title for n in range(2)] == ["TransformerEncoderLayer"] * 2
    folds = opened(looped(100)).scene.looks.folds
    (loop,) = [fold for fold in folds.values() if "." not in fold.id]
    groups = [fold for name, fold in folds.items() if name.count(".") == 1]
    assert sum(len(group.turns) for group in groups) == len(loop.turns)
    assert groups[0].title.startswith("turns 3 to ")
    assert groups[-1].title.endswith("to 99 of the loop")


def test_tracks_in_insets_show_every_state() -> None:
    whole = opened(trained(6))
    scene = whole.scene
    parts = [part for parts in whole.insets.values() for part in parts]
    for step, state in enumerate(states(scene.trace)):
        for part in parts:
            assert look_at(scene.tracks[part.id], step) == scene.look(part, state), (step, part.id)


def test_what_comes_from_outside_stands_there_as_a_chip_and_is_no_leaf() -> None:
    whole = opened(trained(12))
    state, chips = whole.scene.state(whole.scene.steps), 0
    for fold, parts in whole.insets.items():
        inside = set(whole.scene.looks.folds[fold].ops)
        for part in parts:
            if part.kind == "docked":
                box = whole.scene.looks.history.boxes[whole.scene.looks.history.ops[part.of].uses[part.index].box or ""]
                if box.op is not None and box.op not in inside and box.facts.requires_grad:
                    assert "outside" in whole.scene.look(part, state).classes
                    chips += 1
    assert chips


def test_a_picture_without_folds_has_no_insets() -> None:
    scene = make_scene(run_script(find_script("expression")).trace)
    whole = unfolded(scene)
    assert whole.insets == {}
    assert whole.scene.parts == scene.parts


def test_insets_stop_where_they_would_be_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    every = len(opened(looped(100)).insets)
    monkeypatch.setattr(inset, "MOST", 60)
    few = opened(looped(100))
    assert 0 < len(few.insets) < every
    assert all("." not in fold or fold.rpartition(".")[0] in few.insets for fold in few.insets)


def test_the_scene_itself_stays_as_it_was() -> None:
    scene = make_scene(trained(12))
    before = list(scene.parts), dict(scene.routes), dict(scene.looks.folds), dict(scene.looks.bundles)
    unfolded(scene)
    assert (scene.parts, scene.routes, scene.looks.folds, scene.looks.bundles) == before
    assert [part for part in scene.parts if part.kind == "inset"] == []
    assert any(part.kind in FRAME_KINDS for part in scene.parts)


class Head(nn.Module):
    """A head of attention."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, 4) for _ in range(3))

    def forward(self, x: Any) -> Any:
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        return torch.softmax(scores, -1) @ self.value(x)


class Heads(nn.Module):
    """Some heads beside each other."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.heads = nn.ModuleList(Head(8) for _ in range(count))

    def forward(self, x: Any) -> Any:
        return torch.cat([head(x) for head in self.heads], -1)


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("count", [2, 3, 12])
def test_folds_inside_of_folds_open_to_their_own_modules(count: int, direction: str) -> None:
    model, x = Heads(count), torch.ones(1, 3, 8)
    with record() as trace:
        model(x).sum().backward()
    whole = opened(trace, direction)
    pills = [part.of for part in whole.scene.parts if part.kind == "pill"]
    closed = [op for fold in whole.scene.looks.folds.values() if fold.id not in whole.insets for op in fold.ops]
    assert sorted([*pills, *closed]) == sorted(whole.scene.looks.history.ops)
    assert all(fold.ops for fold in whole.scene.looks.folds.values())
