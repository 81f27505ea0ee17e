"""Folding by module: what is drawn of a large model, what its cards say, and that nothing of it is untrue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import autograd_lab as torch
from autograd_lab import nn, record
from autograd_lab.commands.cli import app
from autograd_lab.events import ModuleEntered
from autograd_lab.trace import Trace
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.faces.choice import MANY
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.kit.part import Look
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.track import look_at
from tests.view.graph.cards.laws import texts, titles
from tests.view.pictured import scene_of
from tests.view.ruler import texts_of


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


def cards_in(scene: Scene) -> Cards:
    assert isinstance(scene, RecordedScene)
    return scene.stills.picture.choice.cards


def shown(scene: Scene) -> list[str]:
    """What stands on the cards of operations."""
    cards = cards_in(scene)
    return [title for title, card in zip(titles(cards), cards.cards.values(), strict=True) if card.ops]


def paths(scene: Scene) -> set[str]:
    """The modules that are drawn as one card."""
    return {card.call.path for card in cards_in(scene).cards.values() if card.call is not None and len(card.ops) > 1}


def look(scene: Scene, card: Card, step: int | None = None) -> Look:
    [part] = [part for part in scene.parts if part.kind == "card" and part.of == card.id]
    return scene.look(part, scene.state(scene.steps if step is None else step))


def test_a_small_model_is_drawn_with_a_card_for_each_layer_and_op() -> None:
    scene = make_scene(trained(1))
    assert shown(scene) == ["stem", "body.0.first", "h", "body.0.second", "y + x₂", "head", "loss"]
    assert scene.notices == ("8 of 11 ops are drawn folded",)


def test_the_first_picture_of_a_deep_model_shows_its_blocks() -> None:
    scene = make_scene(trained(12))
    assert shown(scene) == ["stem", *(f"body.{number}" for number in range(12)), "head", "loss"]


def test_of_more_blocks_than_there_is_room_for_several_are_one_card() -> None:
    scene = make_scene(trained(30))
    assert len(cards_in(scene).cards) <= MANY and cards_in(scene).note
    assert "body.0–3" in shown(scene)


def test_depth_counts_the_levels_that_are_open_at_most() -> None:
    trace = trained(12)
    assert shown(make_scene(trace, depth=0)) == ["net", "loss"]
    assert shown(make_scene(trace, depth=1)) == ["stem", "body", "head", "loss"]
    assert shown(make_scene(trace, depth=2)) == ["stem", *(f"body.{number}" for number in range(12)), "head", "loss"]


def test_a_path_to_expand_opens_the_way_to_it_and_nothing_beside() -> None:
    scene = make_scene(trained(12), depth=0, expand=["net.body.5"])
    assert {"h₆", "body.5.second", "x₈"} < set(shown(scene))
    assert not {"net", "body", "body.5"} & paths(scene)
    beside = [path for path in paths(scene) if not path.startswith("body.5")]
    assert all(path.count(".") < 2 for path in beside) and len(cards_in(scene).cards) < 12


@pytest.mark.parametrize("pattern", ["net.body.*", "body.*", "*.1?", "net"])
def test_paths_to_expand_may_have_stars_and_may_leave_out_the_root(pattern: str) -> None:
    scene = make_scene(trained(12), depth=0, expand=pattern)
    assert "net" not in shown(scene)


def test_everything_can_be_expanded() -> None:
    scene = make_scene(trained(12), expand=["*"])
    ops = [len(card.ops) for card in cards_in(scene).cards.values() if card.ops]
    assert ops == [1] * len(scene.history.ops) and not scene.notices  # type: ignore[attr-defined]  # of a recording


def test_an_unknown_path_is_answered_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"no module is called 'net\.boddy'; there are net, net\.stem, net\.body, "):
        make_scene(trained(2), expand=["net.boddy"])


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="depth should be 0 or more, not -1"):
        make_scene(trained(2), depth=-1)


def test_shared_parameters_are_counted_once() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    net[1].weight = net[0].weight
    with record() as trace:
        net(torch.ones(2, 3)).sum()
    assert [event.parameters for event in trace if isinstance(event, ModuleEntered)] == [15, 12, 12]


def test_blocks_of_another_class_or_shape_are_told_apart() -> None:
    sizes = [(3, 3), (3, 3), (3, 4), (4, 4)]
    net = nn.Sequential(*(nn.Linear(*size) for size in sizes))
    with record() as trace:
        net(torch.ones(2, 3)).sum().backward()
    written = texts(cards_in(make_scene(trace, depth=1)))
    assert [written[f"net.{number}"] for number in range(4)] == [f"Linear {a}→{b}" for a, b in sizes]


def test_an_input_is_drawn_and_a_models_own_parameters_are_in_its_card() -> None:
    scene = make_scene(trained(12), depth=0)
    [data, net, _] = cards_in(scene).cards.values()
    assert data.kind == "data" and data.box is not None and data.box.label == "x"
    assert len(net.params) == 52


def test_a_parameter_that_two_modules_share_is_in_both() -> None:
    net = nn.Sequential(nn.Linear(3, 3), *[nn.Tanh() for _ in range(40)], nn.Linear(3, 3))
    net[-1].weight = net[0].weight
    with record() as trace:
        net(torch.ones(2, 3)).sum().backward()
    scene = make_scene(trace, expand=["net"])
    sharing = [card for card in cards_in(scene).cards.values() if card.share is not None]
    assert len(sharing) == 2 and sharing[0].params[0] is sharing[1].params[0]
    assert "shared weight" in scene.svg(scene.steps)


def test_the_card_of_a_module_tells_how_far_backward_has_come() -> None:
    scene = make_scene(trained(12), depth=0)
    [net] = [card for card in cards_in(scene).cards.values() if card.kind == "module"]
    [part] = [part for part in scene.parts if part.kind == "card" and part.of == net.id]
    said = list(dict.fromkeys(look.text("word") for _, look in scene.tracks[part.id]))
    assert said[:2] == ["", "running"] and "12 of 76" not in said and "11 of 76" in said and said[-1] == "done"
    parts = [int(word.split()[0]) for word in said if " of " in word]
    assert parts == sorted(parts)


def test_the_pocket_of_a_module_tells_how_much_it_holds() -> None:
    scene = make_scene(trained(12), depth=0)
    [part] = [part for part in scene.parts if part.kind == "slot"]
    said = [look.text("title") for _, look in scene.tracks[part.id]]
    assert "63 saved" in said and "10 of 63 saved" not in said and "11 of 63 saved" in said and said[-1] == "63 freed"


def test_the_gradient_is_written_where_it_enters_a_module_and_where_it_leaves() -> None:
    net = Net(12)
    x = torch.ones(2, 3, requires_grad=True)
    with record() as trace:
        net(x).sum().backward()
    scene = make_scene(trace, depth=0)
    looks = {part.of: scene.look(part, scene.state(scene.steps)) for part in scene.parts if part.kind == "number"}
    assert all("sent" in look.classes and look.text("label") for look in looks.values())
    assert len(looks) == 2


@pytest.mark.parametrize("depth", range(5))
def test_what_is_folded_is_told_and_it_and_what_is_drawn_is_everything(depth: int) -> None:
    scene = make_scene(trained(12), depth=depth)
    everything = len(make_scene(trained(12), fold=False).history.ops)  # type: ignore[attr-defined]  # of a recording
    ops = [len(card.ops) for card in cards_in(scene).cards.values()]
    assert sum(ops) == everything
    hidden = sum(count for count in ops if count > 1)
    counted = f"All {everything}" if hidden == everything else f"{hidden} of {everything}"
    assert scene.notices[0].startswith(f"{counted} ops are drawn folded")
    assert "()" not in scene.notices[0]


def test_the_culprit_of_an_error_is_drawn_and_what_is_beside_it_stays_folded() -> None:
    scene = make_scene(trained(12, bad=7))
    cards = cards_in(scene).cards.values()
    failed = [card for card in cards if "failed" in look(scene, card, scene.moments["error"]).classes]
    assert [len(card.ops) for card in failed] == [1]
    assert sorted(card.times for card in cards if card.kind == "stack") == [3, 6]
    said = [text.text for text in texts_of(scene.svg(scene.moments["error"]))]
    assert "overwritten here" in said and "stops here" in said


def test_a_stale_slot_is_drawn_before_backward_is_called() -> None:
    scene = make_scene(trained(12, bad=7, backward=False), depth=0)
    looks = [scene.look(part, scene.state(scene.steps)) for part in scene.parts if part.kind == "slot"]
    assert any("stale" in look.classes for look in looks)


def test_a_card_of_many_ops_with_a_stale_slot_says_so() -> None:
    net = nn.Sequential(*(Block(4, bad=True) for _ in range(6)))
    with record() as trace:
        loss = net(torch.ones(2, 4)).sum()
        len(trace)
    scene = make_scene(trace, depth=0)
    [large] = [card for card in cards_in(scene).cards.values() if len(card.ops) > 20]
    assert "stale" in look(scene, large).classes and not loss.shape


def test_residual_connections_across_blocks_remain() -> None:
    cards = cards_in(make_scene(trained(3)))
    adds = [card.id for card in cards.cards.values() if [op.name for op in card.ops] == ["AddBackward0"]]
    assert adds
    for add in adds:
        assert len({wire.source for wire in cards.wires if wire.target == add}) == 2


def test_turns_of_a_loop_in_which_modules_are_called_are_folded_as_turns() -> None:
    cell, h = nn.Linear(3, 3), torch.ones(1, 3)
    with record() as trace:
        for _ in range(50):
            h = torch.tanh(cell(h)) * 2
        h.sum().backward()
    turns = [card for card in cards_in(make_scene(trace)).cards.values() if card.kind == "turn"]
    assert sum(card.turns for card in turns) == 50 and len(turns) > 3


def test_a_module_created_without_a_name_can_be_folded() -> None:
    with record() as trace:
        nn.Sequential(*(Block(4) for _ in range(9)))(torch.ones(1, 4)).sum().backward()
    assert shown(make_scene(trace, depth=0)) == ["Sequential", "sum"]
    assert shown(make_scene(trace, depth=1)) == [*map(str, range(9)), "sum"]


def test_only_what_a_tensor_was_made_of_is_counted_with_root() -> None:
    net = Net(12)
    with record() as trace:
        out = net(torch.ones(2, 3))
        other = out * 2
        loss = out.sum()
        loss.backward()
    scene = make_scene(trace, depth=0, root="loss")
    assert shown(scene) == ["net", "loss"]
    assert other.shape == (2, 1)


@pytest.mark.parametrize("view", ["engine", "maths"])
@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_folded_cards_are_drawn_in_each_view_and_direction(view: Any, direction: Any) -> None:
    scene = make_scene(trained(12), view=view, direction=direction)
    assert "stem" in [text.text for text in texts_of(scene.svg(scene.steps))]


def test_modules_of_pytorch_are_folded_alike() -> None:
    pytorch = pytest.importorskip("torch")
    written = []
    for module in (torch, pytorch):
        net = module.nn.Sequential(*(module.nn.Linear(3, 3) for _ in range(30)))
        with record() as trace:
            net(module.ones(2, 3)).sum().backward()
        cards = cards_in(make_scene(trace, depth=1))
        written.append((titles(cards), [len(card.ops) for card in cards.cards.values()], cards.note))
    assert written[0] == written[1]


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
    assert (drawn.exit_code, "76 of 77 ops are drawn folded" in drawn.stderr) == (0, True)
    opened = CliRunner().invoke(app, [*words, "--depth", "0", "--expand", "net.body.3", "--expand", "body.5"])
    assert (opened.exit_code, "ops are drawn folded" in opened.stderr) == (0, True)
    unfolded = CliRunner().invoke(app, [*words, "--unfold"])
    assert (unfolded.exit_code, "folded" in unfolded.stderr) == (0, False)


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


@settings(deadline=None, max_examples=12)
@given(lists_of_models, st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(0, 3), st.booleans())
def test_tracks_of_folded_pictures_show_every_state(
    kinds: list[int], uses: list[int], depth: int, expand: bool
) -> None:
    trace = run_of(kinds, uses)
    scene = scene_of(trace, depth=depth, expand=["*.0"] if expand and len(uses) > 1 else [])
    for state in states(trace) if scene is not None else ():
        for part in scene.parts:
            assert look_at(scene.tracks[part.id], state.step) == scene.look(part, state), (state.event, part)


@settings(deadline=None, max_examples=25)
@given(lists_of_models, st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(0, 3))
def test_a_card_is_stale_as_long_as_anything_in_it_is_unless_it_has_stopped_backward(
    kinds: list[int], uses: list[int], depth: int
) -> None:
    trace = run_of(kinds, uses)
    scene = scene_of(trace, depth=depth)
    for state in states(trace) if scene is not None else ():
        for card in cards_in(scene).cards.values():
            nodes = [state.nodes[op.node] for op in card.ops if op.node in state.nodes]
            stale = any(state.is_stale(slot) for node in nodes for slot in node.slots)
            stopped = None if state.error is None else state.error.node
            failed = stopped is not None and stopped in {op.node for op in card.ops}
            [part] = [part for part in scene.parts if part.kind == "card" and part.of == card.id]
            classes = scene.look(part, state).classes
            assert ("failed" in classes) == failed
            assert ("stale" in classes) == (stale and not failed), (state.step, card.id)


@settings(deadline=None, max_examples=40)
@given(lists_of_models, st.lists(st.integers(0, 5), min_size=1, max_size=12), st.integers(0, 3))
def test_lines_of_any_folded_model_lead_forward_and_all_ops_are_accounted_for(
    kinds: list[int], uses: list[int], depth: int
) -> None:
    if (scene := scene_of(run_of(kinds, uses), depth=depth)) is None:
        return
    cards = cards_in(scene)
    place = {name: number for number, name in enumerate(cards.cards)}
    assert all(place[wire.source] < place[wire.target] for wire in cards.wires)
    drawn = [op.id for card in cards.cards.values() for op in card.ops]
    assert sorted(drawn) == sorted(op.id for op in scene.choices("engine").window.ops)
    ops, all_run = scene.history.ops.values(), scene.history.is_unrecorded
    assert set(drawn) == {op.id for op in ops if op.node is not None or all_run}
