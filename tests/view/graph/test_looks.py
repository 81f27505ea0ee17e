"""Looks: what stands on a picture at a step is what is true then, and only what a step touches changes."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings

import autograd_lab
from autograd_lab.events import GradientSent
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.state import FREED, GraphState
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.graph.touched import Sharing
from autograd_lab.view.kit.part import Look
from autograd_lab.view.kit.reading import norm_of, reading, scalar_of
from tests.story import recorded
from tests.traces import Instruction, programs, run
from tests.view.graph.cards import programs as known
from tests.view.graph.cards.test_card_laws import told
from tests.view.pictured import called, drawn, looks_of, parts_of

torch = pytest.importorskip("torch")


def assert_touched(trace: Trace) -> None:
    """A look changes only at steps that touch one of the keys of its part, or where the step before had lit it."""
    stills = drawn(trace)
    if stills is None:
        return
    picture, sharing = stills.picture, Sharing(stills.history)
    keys = {part.id: set(picture.keys(part)) for part in picture.drawing.parts}
    before, lit = looks_of(picture, GraphState()), set(keys)
    for state in list(states(trace))[1:]:
        touched = sharing.touched(state.event, state)  # type: ignore[arg-type]  # after a step there is an event
        turned = set(picture.turned(touched, state))
        reached = set(keys) if touched is None else {name for name, own in keys.items() if own & {*touched, *turned}}
        now = looks_of(picture, state)
        changed = {name for name in now if now[name] != before[name]}
        assert changed <= reached | lit, (state.step, state.event, changed - reached - lit)
        before, lit = now, reached


ARRIVES_LATE = [
    ("add", 0, 25), ("write_mul", 27, 0), ("add", 0, 0), ("add", 0, 0), ("add", 10, 0), ("backward_retained", 0, 7),
    ("backward_retained", 0, 0), ("backward", 10, 0), ("write_mul", 3, 23), ("backward", 0, 0), ("backward", 21, 0),
]  # fmt: skip
"""A gradient that flew to a card is there at the next step, which is about another card."""


@settings(deadline=None, max_examples=60)
@given(programs)
@example(ARRIVES_LATE)
def test_a_look_changes_only_where_its_keys_are_touched(program: list[Instruction]) -> None:
    assert_touched(run(program))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("world", ["autograd_lab", "torch"])
def test_a_look_of_a_random_story_changes_only_where_its_keys_are_touched(world: str) -> None:
    from tests.stories.random_programs import random_program

    for seed in range(25):
        assert_touched(told(random_program(Random(seed)), torch if world == "torch" else autograd_lab))


KNOWN = [known.rnn, known.checkpointed, known.own_function, known.double_backward, known.two_losses, known.mlp]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", KNOWN, ids=lambda program: program.__name__)
def test_a_look_of_a_known_program_changes_only_where_its_keys_are_touched(program: Any) -> None:
    assert_touched(recorded(program, torch))


def text(look: Look, role: str) -> str:
    return dict(look.texts).get(role, "")


@settings(deadline=None, max_examples=60)
@given(programs)
def test_cards_and_pockets_say_what_is_true(program: list[Instruction]) -> None:
    trace = run(program)
    stills = drawn(trace)
    if stills is None:
        return
    for state in states(trace):
        for part in parts_of(stills.picture, "card"):
            card_is_true(stills.picture, part.of, stills.picture.look(part, state), state)
        for part in parts_of(stills.picture, "slot"):
            pocket_is_true(stills.picture, part.id, stills.picture.look(part, state), state)


def card_is_true(picture: Picture, name: str, look: Look, state: GraphState) -> None:
    card, box = picture.choice.cards.cards[name], picture.choice.cards.cards[name].box
    assert box is not None
    tensor = state.tensors.get(box.facts.id)
    if tensor is None or box.born > state.step or "coming" in look.classes:
        assert not text(look, "value") and not text(look, "version")
        return
    is_last = tensor.rewrites == box.rewrite
    if is_last and (value := text(look, "value")):
        assert value == (reading(tensor.value) if state.value_is_known(box.facts.id) else "?")
    if is_last and (version := text(look, "version")):
        assert version == f"v{state.version(box.facts.id).number}"
    if card.kind == "leaf":
        stored = text(look, "grad")
        known = state.grad_is_known(box.facts.id)
        assert stored.startswith("none") if tensor.grad is None else stored == (reading(tensor.grad) if known else "?")
        assert ("set" in look.classes or "running" in look.classes) if tensor.grad is not None else True


def pocket_is_true(picture: Picture, name: str, look: Look, state: GraphState) -> None:
    pocket = picture.drawing.pockets[name]
    if pocket.op is None or "hidden" in look.classes:
        return
    slot = state.nodes[picture.history.ops[pocket.op].node or ""].slots[pocket.slot]
    assert ("stale" in look.classes) == state.is_stale(slot)
    assert ("freed" in look.classes) == (slot.status == FREED)
    assert "saved" in look.classes or slot.status != "saved" or slot.packed or state.is_stale(slot)


@settings(deadline=None, max_examples=60)
@given(programs)
def test_a_gradient_on_its_way_has_left_and_has_not_changed_its_receiver(program: list[Instruction]) -> None:
    trace = run(program)
    stills = drawn(trace)
    if stills is None:
        return
    picture, before, landed = stills.picture, looks_of(stills.picture, GraphState()), ""
    for state in states(trace):
        now, landing = looks_of(picture, state), ""
        if isinstance(state.event, GradientSent) and Now(stills.history, state).flying is not None:
            edge = (state.event.node, state.event.edge)
            for wire in picture.choice.cards.wires:
                if edge in wire.edges:
                    assert "flying" in now[wire.id].classes and "sent" in now[wire.id].classes
                    landing = wire.source
                    for role in ("grad", "sumbar", "sum") if landed != landing else ():
                        assert text(now[wire.source], role) == text(before[wire.source], role), (state.step, role)
        before, landed = now, landing


@pytest.mark.parametrize("world", [autograd_lab, torch], ids=["autograd_lab", "torch"])
def test_parts_of_a_sum_add_up_to_what_is_stored(world: Any) -> None:
    stills = drawn(recorded(known.fan_in, world))
    assert stills is not None
    picture = stills.picture
    leaf = called(picture, "x")
    look = picture.look(leaf, picture.after(stills.trace.events))
    real = picture.history.boxes[leaf.of].grads[-1]
    parts = [float(part) for part in text(look, "sum").replace("− ", "+ −").replace("−", "-").split("+")]
    assert sum(parts) == pytest.approx(scalar_of(real), abs=1e-2)
    assert text(look, "grad") == reading(real) == "13.97"
    assert sum(abs(int(part)) for part in text(look, "sumbar").split()) == pytest.approx(1000, abs=len(parts))


@settings(deadline=None, max_examples=40)
@given(programs)
def test_widths_of_lines_grow_with_what_they_carry(program: list[Instruction]) -> None:
    trace = run(program)
    stills = drawn(trace)
    if stills is None:
        return
    picture = stills.picture
    carried: list[tuple[float, float]] = []
    for state in states(trace):
        for part in parts_of(picture, "link"):
            look = picture.look(part, state)
            now = Now(stills.history, state)
            flows = now.flows(picture.wire[part.of].edges)
            if len(flows) == 1 and (norm := norm_of(flows[0])) is not None:
                carried.append((norm, float(text(look, "width"))))
    carried.sort()
    widths = [width for _, width in carried]
    assert all(1.5 <= width <= 14 for width in widths)
    assert widths == sorted(widths)
    if carried and not picture.choice.widths.is_logarithmic:
        most = max(carried)
        assert all(width == pytest.approx(most[1] * norm / most[0], abs=0.02) for norm, width in carried if width > 1.5)


def test_the_gradients_on_the_leaves_of_a_model_are_those_of_pytorch() -> None:
    torch.manual_seed(0)
    x, w = torch.randn(3, requires_grad=True), torch.randn(3, requires_grad=True)
    with autograd_lab.record() as trace:
        loss = (torch.tanh(x * w) * x).sum()
        loss.backward()
        len(trace)
    stills = drawn(trace)
    assert stills is not None
    end = stills.picture.after(trace.events)
    for name, leaf in (("x", x), ("w", w)):
        shown = text(stills.picture.look(called(stills.picture, name), end), "grad").replace("−", "-").split()
        assert [float(number) for number in shown] == pytest.approx(leaf.grad.tolist(), abs=5e-3)
