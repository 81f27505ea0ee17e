"""Scenes: one layout for all steps, tracks that show every state, and pictures that say what is true."""

from __future__ import annotations

import re
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.events import ErrorRaised, TensorSaved, to_json
from autograd_lab.trace import Trace
from autograd_lab.view.abstract_scene import View
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.facts.state import FREED, GraphState
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look
from autograd_lab.view.layout.boxes import Direction
from autograd_lab.view.pages.layouts import PANES
from autograd_lab.view.pages.members import Members
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.torchviz.gv import to_gv
from autograd_lab.view.track import look_at
from tests.traces import Instruction, programs, run
from tests.view.pictured import scene_of

VIEWS: tuple[View, View] = ("engine", "maths")


def expression(backward: bool = True) -> Trace:
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        b = torch.tensor(3.0, requires_grad=True)
        y = (a + b) * (b + 1)
        if backward:
            y.backward()
        len(trace)
    return trace


def test_a_tensor_that_is_squeezed_in_place_is_drawn() -> None:
    with record() as trace:
        w = torch.ones(2, 2, requires_grad=True)
        (torch.tensor([1.0, 2.0]) @ w).sum().backward()
        a, b = torch.ones(3), torch.ones(2, 3)
        b.t_()
        (w.sum() * a.unsqueeze_(1)).sum().backward()
    scene = make_scene(trace)
    assert all(scene.svg(step) for step in range(scene.steps + 1))


def said(scene: Scene, step: int) -> str:
    """All texts of a picture, in drawing order."""
    root = ElementTree.fromstring(scene.svg(step))
    return " | ".join(element.text or "" for element in root.iter() if element.tag.endswith("text"))


@settings(deadline=None, max_examples=60)
@given(programs)
def test_tracks_show_every_state(program: list[Instruction]) -> None:
    trace = run(program)
    scene = scene_of(trace)
    for state in states(trace) if scene is not None else ():
        for part in scene.parts:
            assert look_at(scene.tracks[part.id], state.step) == scene.look(part, state), (state.event, part)


@settings(deadline=None, max_examples=40)
@given(programs)
def test_any_step_is_reached_in_any_order(program: list[Instruction]) -> None:
    trace = run(program)
    folded = list(states(trace))
    if (scene := scene_of(trace)) is None:
        return
    for step in [scene.steps, 0, *range(0, scene.steps, 3)]:
        assert scene.state(step) == folded[step]


@settings(deadline=None, max_examples=40)
@given(programs)
def test_every_step_of_every_program_can_be_drawn_and_told(program: list[Instruction]) -> None:
    trace = run(program)
    scenes = [scene for view in VIEWS if (scene := scene_of(trace, view)) is not None]
    for scene in scenes:
        for step in {0, scene.steps // 2, *scene.moments.values()}:
            ElementTree.fromstring(scene.svg(step))
            assert scene.caption(step).strip()
            assert to_gv(scene, step).startswith("digraph")


@settings(deadline=None, max_examples=40)
@given(programs)
def test_the_bytes_held_are_those_of_the_storages_in_slots_that_are_not_freed(program: list[Instruction]) -> None:
    for state in states(run(program)):
        slots = [slot for node in state.nodes.values() for slot in node.slots]
        kept = [slot for slot in slots if slot.status != FREED]
        sizes = sorted((slot.nbytes, state.tensors[slot.tensor].facts.storage) for slot in kept if slot.tensor)
        numbers = sum(slot.nbytes for slot in kept if slot.tensor is None)
        assert state.held == sum({storage: nbytes for nbytes, storage in sizes}.values()) + numbers


@settings(deadline=None, max_examples=40)
@given(programs)
def test_a_trace_survives_its_file(program: list[Instruction]) -> None:
    trace = run(program)
    with tempfile.TemporaryDirectory() as folder:
        trace.save(Path(folder) / "t.jsonl")
        loaded = Trace.load(Path(folder) / "t.jsonl")
    assert list(map(to_json, loaded)) == list(map(to_json, trace))  # as JSON, where NaN is equal to itself


def test_nothing_moves_between_steps() -> None:
    scene = make_scene(expression())
    places = re.compile(r'<g id="(\w+)" class="card[^"]*"><rect class="(?:glow|shape)" x="([-\d.]+)" y="([-\d.]+)"')
    graph = re.compile(r'<g class="graph" transform="([^"]+)">')
    seen: dict[str, tuple[str, str]] = {}
    for step in range(scene.steps + 1):
        for name, x, y in places.findall(svg := scene.svg(step)):
            assert seen.setdefault(name, (x, y)) == (x, y)
        assert graph.findall(svg) == graph.findall(scene.svg(0))
    assert set(seen) == {"b0", "b1", "o0", "o1", "o2"}


NAMES = {"name", "formula", "was", "fine", "badge", "beside", "shape"}
"""What stands on cards that is not the same in both views, or has not room in both."""


def shown(pictures: Sequence[Picture], kind: str, state: GraphState) -> Iterator[tuple[Look, Look]]:
    """How the parts of a kind look that are in two pictures and stand for the same there."""
    one, other = ({Members(it).of(part): part for part in it.parts if part.kind == kind} for it in pictures)
    for things in (one.keys() & other.keys()) - {()}:
        yield pictures[0].look(one[things], state), pictures[1].look(other[things], state)


@settings(deadline=None, max_examples=40)
@given(programs, st.sampled_from(["LR", "TB"]))
def test_both_views_say_the_same_of_what_is_in_both(program: list[Instruction], direction: Direction) -> None:
    trace = run(program)
    scene = scene_of(trace, direction=direction)
    if scene is not None:
        pictures = [scene.picture(view, PANES[1]) for view in VIEWS]
        folded = [{wire.id for wire in picture.choice.cards.wires} for picture in pictures]
        for state in states(trace):
            for one, other in shown(pictures, "card", state):
                assert {*one.classes} - {"joint"} == {*other.classes} - {"joint"}
                if "leaf" in one.classes and folded[0] != folded[1]:
                    continue  # it adds up what comes along its lines, which are others
                told = dict(other.texts)
                same = {role for role, _ in one.texts if role in told} - NAMES
                assert all(one.text(role) == told[role] for role in same), (state.step, one, other)
            for one, other in shown(pictures, "link", state) if folded[0] == folded[1] else ():
                assert one.classes == other.classes and one.text("label") == other.text("label")
            assert all(one.classes[0] == other.classes[0] for one, other in shown(pictures, "slot", state))


@settings(deadline=None, max_examples=40)
@given(programs)
def test_the_maths_view_knows_no_names_of_nodes(program: list[Instruction]) -> None:
    scene = scene_of(run(program), "maths")
    looks = [] if scene is None else [look for part in scene.parts for _, look in scene.tracks[part.id]]
    assert not [text for look in looks for _, text in look.texts if "Backward0" in text]


def test_the_maths_view_shows_a_saved_value_when_it_is_stale() -> None:
    scene = make_scene(run_script(find_script("inplace")).trace, "maths")
    tabs = [part for part in scene.parts if part.kind == "slot"]
    looks = [scene.look(part, scene.state(scene.steps)) for part in tabs]
    assert [look.text("title") for look in looks if "stale" in look.classes] == ["h v0, is v1"]


def test_the_gradients_of_the_expression_are_written_where_they_go() -> None:
    scene = make_scene(expression())
    texts = [said(scene, step) for step in range(scene.steps + 1)]
    end = texts[-1]
    assert any("b | 3.0 | .grad | none  1 of 2 | … + 5.0" in text for text in texts)
    assert "a | 2.0 | .grad | 4.0" in end and "b | 3.0 | .grad | 9.0 | 4.0 + 5.0" in end
    assert ".grad | none" not in end
    assert end.count("freed") == 2  # the pocket, and the legend


def test_the_sum_at_a_fan_in_is_a_step_of_its_own() -> None:
    scene = make_scene(expression())
    texts = [said(scene, step) for step in range(scene.steps + 1)]
    parts = [next(at for at, text in enumerate(texts) if part in text)
             for part in ("| … + 5.0 |", "| none  2 of 2 | 4.0 + 5.0 |", "| 9.0 | 4.0 + 5.0 |")]  # fmt: skip
    assert parts == sorted(set(parts))


def test_no_gradient_is_not_drawn_as_zero() -> None:
    without, later = make_scene(expression(backward=False)), make_scene(expression())
    assert said(without, without.steps).count(".grad | none |") == 2
    assert said(later, later.moments["forward"]).count(".grad | none |") == 2
    for scene in (without, later):
        assert "| 0.0 |" not in said(scene, scene.moments["forward"])


def test_a_tensor_used_twice_by_one_op_has_two_lines() -> None:
    with record() as trace:
        x = torch.tensor(3.0, requires_grad=True)
        y = x * x
        len(trace)
    scene = make_scene(trace)
    assert len([part for part in scene.parts if part.kind == "link"]) == 2
    assert y.item() == 9.0


@pytest.mark.parametrize("retains", [False, True])
def test_after_a_pass_a_gradient_can_come_back_only_through_what_was_retained(retains: bool) -> None:
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        y = a * a
        z = y + 4
        y.backward(retain_graph=retains)
        len(trace)
    assert z.item() == 8.0
    scene = make_scene(trace)
    slots = [scene.look(part, scene.state(scene.steps)) for part in scene.parts if part.kind == "slot"]
    assert {look.classes[0] for look in slots} == {"kept" if retains else "freed"}
    lines = {part.of: scene.look(part, scene.state(scene.steps)).classes for part in scene.parts if part.kind == "link"}
    assert lines["o0-o1"] == ("open",)
    assert all("sent" in classes for name, classes in lines.items() if name.startswith("b0"))


def test_no_gradient_can_come_back_through_a_node_that_was_released() -> None:
    w = torch.tensor(3.0, requires_grad=True)
    with record() as trace:
        for target in (1.0, 2.0):
            loss = w * target
    assert loss.grad_fn is not None
    scene = make_scene(trace)
    links = [part for part in scene.parts if part.kind == "link"]
    first = [scene.look(part, scene.state(scene.steps - 1)).classes for part in links]
    last = [scene.look(part, scene.state(scene.steps)).classes for part in links]
    assert first == [("open",)] * 2 and last == [("spent",), ("open",)]


def inplace() -> Trace:
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        h = x * 2
        p = h * h
        h.add_(1)
        with pytest.raises(RuntimeError):
            p.sum().backward()
        len(trace)
    return trace


def test_a_stale_slot_is_lit_before_backward_is_called() -> None:
    scene = make_scene(inplace())
    before = said(scene, scene.moments["forward"])
    assert "2 overwritten" in before or "h v0, is v1" in before
    assert "saved here" in before and "overwritten here" in before


def test_of_two_stale_slots_the_line_is_shown_that_saved_the_one_where_backward_stopped() -> None:
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        h = x.sigmoid()
        p = h * x
        h.add_(1)
        with pytest.raises(RuntimeError):
            p.sum().backward()
        len(trace)
    scene = make_scene(trace)
    assert "p = h * x | saved here" in re.sub(r"\| +", "| ", said(scene, scene.moments["error"]))


def test_a_program_of_several_files_has_the_name_of_each_above_its_lines(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text("def double(h):\n    return h.mul_(2)\n")
    (tmp_path / "train.py").write_text("y = x.exp()\nlayers['double'](y)\ny.sum().backward()\n")
    layers: dict[str, object] = {}
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        exec(compile((tmp_path / "layers.py").read_text(), str(tmp_path / "layers.py"), "exec"), layers)
        with pytest.raises(RuntimeError):
            text = (tmp_path / "train.py").read_text()
            exec(compile(text, str(tmp_path / "train.py"), "exec"), {"x": x, "layers": layers})
        len(trace)
    scene = make_scene(trace)
    shown = said(scene, scene.moments["error"])
    assert "layers.py: | " in shown and "train.py: | " in shown
    assert "| 0 |" not in shown
    assert "layers.py:2 has overwritten it" in scene.caption(scene.moments["error"])


def test_the_error_names_node_slot_and_the_line_that_overwrote() -> None:
    trace = inplace()
    scene = make_scene(trace)
    (error,) = [event for event in trace if isinstance(event, ErrorRaised)]
    saved = next(event for event in trace if isinstance(event, TensorSaved) and event.node == error.node)
    assert error.slot in ("self", "other")
    assert saved.where is not None and saved.where.text == "p = h * h"
    assert re.search(
        r"MulBackward0 #1 needs h as it was at version 0, but line \d+ has overwritten it: now it is at version 1\.",
        scene.caption(scene.moments["error"]),
    )


def test_a_message_that_ends_with_a_full_stop_has_no_second_one() -> None:
    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        y = x * 2
        with pytest.raises(RuntimeError):
            x.add_(1)
        del y
        len(trace)
    scene = make_scene(trace)
    assert scene.caption(scene.moments["error"]).endswith("is being used in an in-place operation.")


def test_after_a_second_backward_the_empty_slots_are_named() -> None:
    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        y = x * x
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()
        len(trace)
    scene = make_scene(trace)
    assert re.fullmatch(
        r"MulBackward0 needs what it saved, but that was freed by line \d+, after it had run backward there; "
        r"retain_graph=True there keeps it\.",
        scene.caption(scene.steps),
    )
    assert "freed here" in said(scene, scene.steps)


def test_text_of_the_users_program_is_never_markup() -> None:
    hostile = "</text><script>alert(1)</script>&\x00\ud800"
    with record(**{hostile: (x := torch.tensor(2.0, requires_grad=True))}) as trace:
        y = x * 2
        len(trace)
    scene = make_scene(trace)
    svg = scene.svg(scene.steps)
    ElementTree.fromstring(svg)
    assert "<script" not in svg and y.item() == 4.0
    assert "<script" not in to_gv(scene).replace('"', "").split("label=<")[0]


@pytest.mark.parametrize("length", [10, 300])
def test_ops_that_are_not_drawn_are_counted(length: int) -> None:
    with record() as trace:
        y = torch.tensor(1.0, requires_grad=True)
        for _ in range(length):
            y = y * 1.5
        len(trace)
    folded, unfolded = make_scene(trace), make_scene(trace, fold=False)
    ops = [[len(card.ops) for card in cards_in(scene) if card.ops] for scene in (folded, unfolded)]
    assert ops[1] == [1] * length and sum(ops[0]) == length
    hidden = sum(count for count in ops[0] if count > 1)
    assert (hidden > 0) == (length > 60)
    counted = f"All {length} ops" if hidden == length else f"{hidden} of {length} ops"
    assert not hidden or any(counted in notice for notice in folded.notices)


def cards_in(scene: Scene) -> list[Card]:
    assert isinstance(scene, RecordedScene)
    return list(scene.stills.picture.choice.cards.cards.values())


def test_root_draws_only_what_a_tensor_was_made_of() -> None:
    assert [card.id for card in cards_in(make_scene(expression_with_names(), root="c"))] == ["b0", "o0"]


def expression_with_names() -> Trace:
    with record() as trace:
        a = torch.tensor(2.0, requires_grad=True)
        c = a + 1
        d = c * 2
        len(trace)
    assert d.item() == 6.0
    return trace


def test_an_unknown_root_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="no tensor is called 'q'; there are a, c, d"):
        make_scene(expression_with_names(), root="q")


def test_a_trace_without_gradients_says_why_there_is_nothing_to_draw() -> None:
    with record() as trace:
        torch.tensor(1.0) * 2
        len(trace)
    with pytest.raises(NothingToDraw, match="requires_grad=True"):
        make_scene(trace)


def test_a_trace_without_an_operation_says_why_there_is_nothing_to_draw() -> None:
    layer = torch.nn.Linear(3, 1)
    with record() as trace, torch.no_grad():
        layer(torch.ones(2, 3))
    with pytest.raises(NothingToDraw, match="no operation was recorded"):
        make_scene(trace)


def test_a_leaf_that_nothing_uses_is_drawn_in_a_small_program() -> None:
    with record() as trace:
        x = torch.tensor(1.0, requires_grad=True)
        len(trace)
    assert [card.kind for card in cards_in(make_scene(trace))] == ["leaf"] and x.is_leaf


def test_a_step_that_there_is_not_is_refused_with_those_there_are() -> None:
    scene = make_scene(expression())
    with pytest.raises(IndexError, match=f"its steps are 0 to {scene.steps}"):
        scene.state(scene.steps + 1)
    with pytest.raises(IndexError, match=f"its steps are 0 to {scene.steps}"):
        scene.svg(scene.steps + 1)


@pytest.mark.parametrize("option", ["view", "direction", "layout"])
def test_an_unknown_option_is_refused(option: str) -> None:
    with pytest.raises(ValueError, match="'sideways'"):
        make_scene(expression(), **{option: "sideways"})  # type: ignore[arg-type]  # that it is refused is the test


def test_the_reducer_leaves_the_state_before_as_it_was() -> None:
    trace = expression()
    first = list(states(trace))
    assert first == list(states(trace))
    assert first[0] == GraphState()
    assert len(first) == len(trace) + 1
