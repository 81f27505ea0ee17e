"""Folding by module: what is drawn of a large model, what its boxes say, and that nothing of it is untrue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import autograd_lab as torch
from autograd_lab import nn, record
from autograd_lab.commands.cli import app
from autograd_lab.events import ModuleEntered
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import Op, history_of
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.graph.plan.fold import READABLE, Fold
from autograd_lab.view.layout.boxes import Link
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.svg import scene_svg
from autograd_lab.view.track import look_at
from tests.view.test_scene import said


class Block(nn.Module):
    """A residual block; a `bad` one writes over what its second layer saved."""

    def __init__(self, width: int, bad: bool = False) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
        self.bad = bad

    def forward(self, x: Any) -> Any:
        h = torch.sigmoid(self.first(x))
        y = self.second(h)
        if self.bad:
            h.add_(1)
        return y + x


class Net(nn.Module):
    """So many residual blocks between two linear layers."""

    def __init__(self, blocks: int, bad: int | None = None) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 4)
        self.body = nn.Sequential(*(Block(4, number == bad) for number in range(blocks)))
        self.head = nn.Linear(4, 1)

    def forward(self, x: Any) -> Any:
        return self.head(self.body(self.stem(x)))


def trained(blocks: int, bad: int | None = None, backward: bool = True) -> Trace:
    net = Net(blocks, bad)
    x = torch.ones(2, 3)
    with record() as trace:
        loss = net(x).sum()
        try:
            if backward:
                loss.backward()
        except RuntimeError:
            pass
        len(trace)
    return trace


def titles(scene: Scene) -> list[str]:
    return [fold.title for fold in scene.plan.folds]


def drawn_ops(scene: Scene) -> list[str]:
    return [part.of for part in scene.parts if part.kind == "pill"]


def fold_called(scene: Scene, name: str) -> Fold:
    (found,) = [fold for fold in scene.plan.folds if fold.details[0].startswith(name)]
    return found


def test_a_small_model_is_drawn_whole() -> None:
    scene = make_scene(trained(1))
    assert not scene.plan.folds
    assert not any("folded" in notice for notice in scene.notices)


def test_the_first_picture_of_a_deep_model_shows_one_block_and_stacks_the_others() -> None:
    scene = make_scene(trained(12))
    assert "Block ×11" in titles(scene)
    assert titles(scene).count("Linear") == 4
    assert len(scene.plan.cells) <= READABLE


def test_depth_counts_the_levels_that_are_open() -> None:
    trace = trained(12)
    assert titles(make_scene(trace, depth=0)) == ["Net"]
    assert titles(make_scene(trace, depth=1)) == ["Linear", "Sequential", "Linear"]
    assert titles(make_scene(trace, depth=2)) == ["Block ×12"]
    assert titles(make_scene(trace, depth=3)) == ["Linear", "Linear", "Block ×11"]


def test_a_path_to_expand_opens_the_way_to_it_and_nothing_beside() -> None:
    scene = make_scene(trained(12), depth=0, expand=["net.body.5"])
    assert titles(scene) == ["Linear", "Block ×5", "Linear", "Linear", "Block ×6", "Linear"]
    assert [fold.calls[0].name for fold in scene.plan.folds] == [
        "net.stem", "net.body.0", "net.body.5.first", "net.body.5.second", "net.body.6", "net.head",
    ]  # fmt: skip


@pytest.mark.parametrize("pattern", ["net.body.*", "body.*", "*.1?", "net"])
def test_paths_to_expand_may_have_stars_and_may_leave_out_the_root(pattern: str) -> None:
    scene = make_scene(trained(12), depth=0, expand=pattern)
    assert "Net" not in titles(scene)


def test_everything_can_be_expanded() -> None:
    scene = make_scene(trained(12), expand=["*"])
    assert not scene.plan.folds
    assert len(drawn_ops(scene)) == len(make_scene(trained(12), fold=False).looks.history.ops)


def test_an_unknown_path_is_answered_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"no module is called 'net\.boddy'; there are net, net\.stem, net\.body, "):
        make_scene(trained(2), expand=["net.boddy"])


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="depth should be 0 or more, not -1"):
        make_scene(trained(2), depth=-1)


def test_a_fold_says_its_class_its_path_its_parameters_and_how_many_ops_it_hides() -> None:
    scene = make_scene(trained(12), depth=2)
    (fold,) = scene.plan.folds
    assert fold.title == "Block ×12"
    assert fold.details == ("net.body.0 … net.body.11", "480 parameters · 72 ops hidden")


def test_one_module_called_many_times_is_not_counted_many_times() -> None:
    layer, x = nn.Linear(3, 3), torch.ones(2, 3)
    net = nn.Sequential(*[layer] * 40)
    with record() as trace:
        net(x).sum().backward()
    (fold,) = make_scene(trace, depth=1).plan.folds
    assert fold.title == "Linear ×40"
    assert fold.details == ("net.0, called 40 times", "12 parameters · 80 ops hidden")


def test_shared_parameters_are_counted_once() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    net[1].weight = net[0].weight
    with record() as trace:
        net(torch.ones(2, 3)).sum()
    assert [event.parameters for event in trace if isinstance(event, ModuleEntered)] == [15, 12, 12]


def test_blocks_of_another_class_or_shape_are_not_stacked() -> None:
    sizes = [(3, 3), (3, 3), (3, 4), (4, 4)]
    net = nn.Sequential(*(nn.Linear(*size) for size in sizes))
    with record() as trace:
        net(torch.ones(2, 3)).sum().backward()
    assert titles(make_scene(trace, depth=1)) == ["Linear ×2", "Linear", "Linear"]


def test_a_line_says_what_shapes_flow_into_a_module_and_out_of_it() -> None:
    scene = make_scene(trained(12), depth=0)
    assert [part.text for part in scene.parts if part.kind == "fold-link"] == ["[2, 3]"]
    assert [part.text for part in scene.parts if part.kind == "link"] == ["[2, 1]"]
    assert "[2, 3]" in said(scene, scene.steps) and "[2, 1]" in said(scene, scene.steps)


def test_an_input_is_drawn_and_a_models_own_parameters_are_not() -> None:
    scene = make_scene(trained(12), depth=0)
    boxes = [part.of for part in scene.parts if part.kind == "box"]
    labels = [scene.looks.history.boxes[box].label for box in boxes]
    assert "x" in labels
    assert not any(label.startswith("net.") for label in labels)


def test_a_parameter_that_two_modules_share_is_drawn_with_a_line_to_each() -> None:
    net = nn.Sequential(nn.Linear(3, 3), *[nn.Tanh() for _ in range(40)], nn.Linear(3, 3))
    net[-1].weight = net[0].weight
    with record() as trace:
        net(torch.ones(2, 3)).sum().backward()
    scene = make_scene(trace, expand=["net"])
    labels = [scene.looks.history.boxes[part.of].label for part in scene.parts if part.kind == "box"]
    assert labels.count("net.0.weight") == 1


def test_the_box_of_a_module_tells_how_far_backward_has_come() -> None:
    scene = make_scene(trained(12), depth=2)
    (part,) = [part for part in scene.parts if part.kind == "fold"]
    seen = [scene.look(part, scene.state(step)) for step in range(scene.steps + 1)]
    ran = list(dict.fromkeys(look.text("state") for look in seen))
    assert ran[0] == "" and "72 recorded" in ran
    assert ran[-1] == "72 of 72 run backward ✓" and "12 of 72 run backward" in ran
    held = list(dict.fromkeys(look.text("slots") for look in seen))
    assert held[-1].endswith("freed")
    assert any(text.startswith("10 of ") for text in held)


def test_the_gradient_is_written_where_it_enters_a_module_and_where_it_leaves() -> None:
    net = Net(12)
    x = torch.ones(2, 3, requires_grad=True)
    with record() as trace:
        net(x).sum().backward()
    scene = make_scene(trace, depth=0)
    looks = {part.id: scene.look(part, scene.state(scene.steps)) for part in scene.parts if "link" in part.kind}
    assert all("sent" in look.classes and look.text("label") for look in looks.values())
    assert len(looks) == 2


def test_what_is_folded_is_told_with_the_way_to_open_it() -> None:
    scene = make_scene(trained(12), depth=2)
    assert scene.notices[0].startswith("72 of 77 ops are folded; --unfold draws them all")
    assert any("--expand net.body.0 opens it" in notice for notice in scene.notices)
    assert "72 of 77 ops are folded" in said(scene, 5)


def test_what_is_hidden_and_what_is_drawn_is_everything() -> None:
    trace = trained(12)
    everything = len(make_scene(trace, fold=False).looks.history.ops)
    for depth in range(5):
        scene = make_scene(trace, depth=depth)
        assert len(drawn_ops(scene)) + sum(len(fold.ops) for fold in scene.plan.folds) == everything


def test_the_culprit_of_an_error_is_drawn_and_what_is_beside_it_stays_folded() -> None:
    scene = make_scene(trained(12, bad=7))
    pills = [part for part in scene.parts if part.kind == "pill"]
    looks = [scene.look(part, scene.state(scene.moments["error"])) for part in pills]
    assert sum("failed" in look.classes for look in looks) == 1
    assert {"Block ×6", "Block ×4"} <= set(titles(scene))
    assert "overwritten here" in said(scene, scene.steps)


def test_a_stale_slot_is_drawn_before_backward_is_called() -> None:
    scene = make_scene(trained(12, bad=7, backward=False), depth=0)
    looks = [scene.look(part, scene.state(scene.steps)) for part in scene.parts if part.kind == "slot"]
    assert any("stale" in look.classes for look in looks)


def test_a_fold_with_a_stale_slot_says_so() -> None:
    net = nn.Sequential(*(Block(4, bad=True) for _ in range(6)))
    with record() as trace:
        loss = net(torch.ones(2, 4)).sum()
        len(trace)
    scene = make_scene(trace, depth=0)
    (part,) = [part for part in scene.parts if part.kind == "fold" and part.of == scene.plan.folds[-1].id]
    look = scene.look(part, scene.state(scene.steps))
    assert "stale" in look.classes and not loss.shape
    assert (look.text("title"), look.text("slots")) == ("Block ×4", "8 of 20 saved values stale")


def test_an_open_module_says_where_it_begins() -> None:
    scene = make_scene(trained(12))
    heads = [part.text for part in scene.parts if part.kind == "module"]
    assert heads[0].startswith("net (Net") and any(head.startswith("net.body.0 (") for head in heads)


def test_residual_connections_across_blocks_remain() -> None:
    scene = make_scene(trained(3), expand=["body.0", "body.1", "body.2"])
    ops = scene.looks.history.ops
    adds = [op for op in ops.values() if op.name == "AddBackward0"]
    lines = {(part.of, part.index) for part in scene.parts if part.kind == "link"}
    assert all({(op.id, 0), (op.id, 1)} <= lines for op in adds)


def test_turns_of_a_loop_in_which_modules_are_called_are_folded_as_turns() -> None:
    cell, h = nn.Linear(3, 3), torch.ones(1, 3)
    with record() as trace:
        for _ in range(50):
            h = torch.tanh(cell(h)) * 2
        h.sum().backward()
    assert "47 more turns of the loop · 188 ops" in titles(make_scene(trace))


def test_a_module_created_without_a_name_can_be_folded() -> None:
    with record() as trace:
        nn.Sequential(*(Block(4) for _ in range(9)))(torch.ones(1, 4)).sum().backward()
    assert titles(make_scene(trace, depth=0)) == ["Sequential"]
    assert titles(make_scene(trace, depth=1)) == ["Block ×9"]


def test_only_what_a_tensor_was_made_of_is_counted_with_root() -> None:
    net = Net(12)
    with record() as trace:
        out = net(torch.ones(2, 3))
        other = out * 2
        loss = out.sum()
        loss.backward()
    scene = make_scene(trace, depth=0, root="loss")
    assert [fold.title for fold in scene.plan.folds] == ["Net"]
    assert len(drawn_ops(scene)) == 1
    assert other.shape == (2, 1)


@pytest.mark.parametrize("view", ["engine", "maths"])
@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_folds_are_drawn_in_each_view_and_direction(view: Any, direction: Any) -> None:
    scene = make_scene(trained(12), view=view, direction=direction)
    assert "Block ×11" in scene_svg(scene)


def test_modules_of_pytorch_are_folded_alike() -> None:
    pytorch = pytest.importorskip("torch")
    net = pytorch.nn.Sequential(*(pytorch.nn.Linear(3, 3) for _ in range(30)))
    with record() as trace:
        net(pytorch.ones(2, 3)).sum().backward()
    (fold,) = make_scene(trace, depth=1).plan.folds
    assert fold.title == "Linear ×30"
    assert fold.details == ("net.0 … net.29", "360 parameters · 60 ops hidden")


def test_a_lazy_module_is_counted_once_it_knows_its_shapes() -> None:
    pytorch = pytest.importorskip("torch")
    net = pytorch.nn.Sequential(pytorch.nn.LazyLinear(4), pytorch.nn.ReLU())
    with record() as trace:
        for _ in range(2):
            net(pytorch.ones(2, 3)).sum().backward()
    sizes = [event.parameters for event in trace if isinstance(event, ModuleEntered) and event.module == ""]
    assert sizes == [0, 16]


def test_the_command_line_opens_modules_and_says_what_is_folded(tmp_path: Path) -> None:
    trained(12).save(tmp_path / "net.jsonl")
    words = ["draw", str(tmp_path / "net.jsonl"), "-o", str(tmp_path / "net.svg")]
    drawn = CliRunner().invoke(app, [*words, "--depth", "0"])
    assert (drawn.exit_code, "--expand net opens it" in drawn.stderr) == (0, True)
    opened = CliRunner().invoke(app, [*words, "--depth", "0", "--expand", "net.body.3", "--expand", "body.5"])
    assert (opened.exit_code, "Block ×6, net.body.6 … net.body.11" in opened.stderr) == (0, True)


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        (["--expand", "nobody"], "no module is called 'nobody'; there are net, net.stem"),
        (["--unfold", "--depth", "1"], "--unfold opens everything"),
    ],
)
def test_the_command_line_refuses_what_makes_no_sense(tmp_path: Path, options: list[str], answer: str) -> None:
    trained(2).save(tmp_path / "net.jsonl")
    refused = CliRunner().invoke(app, ["draw", str(tmp_path / "net.jsonl"), *options])
    assert (refused.exit_code, answer in refused.stderr) == (2, True)


KINDS = [
    lambda: nn.ReLU(),
    lambda: nn.Linear(2, 2),
    lambda: Block(2),
    lambda: nn.Sequential(nn.Linear(2, 2), nn.Sigmoid()),
    lambda: nn.Sequential(Block(2), Block(2)),
    lambda: Block(2, bad=True),
]
lists_of_models = st.lists(st.integers(0, len(KINDS) - 1), min_size=1, max_size=6)


def run_of(kinds: list[int], uses: list[int]) -> Trace:
    layers = [KINDS[kind]() for kind in kinds]
    net = nn.Sequential(*(layers[use % len(layers)] for use in uses))
    with record() as trace:
        x = torch.ones(1, 2)
        try:
            loss = (net(x) + x).sum()
            loss.backward()
        except RuntimeError:
            pass
        len(trace)
    return trace


@settings(deadline=None, max_examples=25)
@given(lists_of_models, st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(0, 3), st.booleans())
def test_tracks_of_folded_pictures_show_every_state(
    kinds: list[int], uses: list[int], depth: int, expand: bool
) -> None:
    trace = run_of(kinds, uses)
    assume(any(box.facts.requires_grad for box in history_of(trace).boxes.values()))
    scene = make_scene(trace, depth=depth, expand=["*.0"] if expand and len(uses) > 1 else [])
    for state in states(trace):
        for part in scene.parts:
            assert look_at(scene.tracks[part.id], state.step) == scene.look(part, state), (state.event, part)


@settings(deadline=None, max_examples=40)
@given(lists_of_models, st.lists(st.integers(0, 5), min_size=1, max_size=12), st.integers(0, 3))
def test_lines_of_any_folded_model_lead_forward_and_all_ops_are_accounted_for(
    kinds: list[int], uses: list[int], depth: int
) -> None:
    trace = run_of(kinds, uses)
    assume(any(box.facts.requires_grad for box in history_of(trace).boxes.values()))
    scene = make_scene(trace, depth=depth)
    place = {cell.id: number for number, cell in enumerate(scene.plan.cells)}
    links: list[Link] = scene.plan.links
    assert all(place[link.source] < place[link.target] for link in links)
    drawn = set(drawn_ops(scene))
    hidden = [op for fold in scene.plan.folds for op in fold.ops]
    every: dict[str, Op] = scene.looks.history.ops
    assert len(hidden) == len(set(hidden)) and not drawn & set(hidden) and drawn | set(hidden) == set(every)
    for fold in scene.plan.folds:
        numbers = [int(op[1:]) for op in fold.ops]
        assert numbers == list(range(numbers[0], numbers[-1] + 1))
