"""What the nodes of a card add up to is kept from state to state, and is always what counting them anew would give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab
from autograd_lab.display.script import find_script, run_script
from autograd_lab.events import BackwardStarted
from autograd_lab.trace import Trace
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.facts.state import EVALUATED, FREED, RETAINED, GraphState
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.graph.looks.tally import Counts, Tally
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.still import stills_of
from tests.models import MODELS
from tests.story import recorded
from tests.traces import Instruction, programs, run
from tests.view.graph.cards.test_cards import EXAMPLES
from tests.view.pictured import drawn, looks_of, parts_of


def counted(card: Card, now: Now) -> Counts:
    """What the nodes of a card add up to, one by one."""
    nodes = [node for op in card.ops if (node := now.node(op.node)) is not None]
    slots = [slot for node in nodes for slot in node.slots if slot.tensor is not None or slot.packed]
    return Counts(
        len(nodes),
        sum(node.status == EVALUATED for node in nodes),
        sum(node.released for node in nodes),
        sum(node.status is not None and bool(node.gathered) for node in nodes),
        len(slots),
        sum(slot.status != FREED for slot in slots),
        sum(slot.status == RETAINED for slot in slots),
        sum(slot.packed and slot.status != FREED for slot in slots),
        sum(slot.packed for slot in slots),
    )


def arrived(card: Card, now: Now) -> tuple[int, int]:
    """Of the last op of a card to which gradients came, how many of how many have arrived."""
    nodes = [node for op in card.ops if (node := now.node(op.node)) is not None and node.arrived]
    return (nodes[-1].arrived, nodes[-1].expected) if nodes else (0, 0)


def assert_counts(picture: Picture, walk: Iterable[GraphState]) -> None:
    """One tally for each card, through all of these states."""
    tallies: dict[int, Tally] = {}
    for state in walk:
        now = Now(picture.history, state, tallies)
        for card in picture.choice.cards.cards.values():
            if card.ops:
                assert now.counts(card) == counted(card, now), (card.id, state.step)
                assert now.count(card) == arrived(card, now), (card.id, state.step)


def walks(trace: Trace, order: Sequence[int]) -> list[GraphState]:
    """Some states in any order."""
    found = list(states(trace))
    return [found[step % len(found)] for step in order]


@settings(deadline=None, max_examples=60)
@given(programs, st.lists(st.integers(0, 400), max_size=40))
def test_forwards_and_in_jumps_a_tally_says_what_counting_anew_says(
    program: list[Instruction], jumps: list[int]
) -> None:
    trace = run(program)
    if stills := drawn(trace):
        assert_counts(stills.picture, states(trace))
        assert_counts(stills.picture, walks(trace, jumps))


@pytest.mark.parametrize("name", EXAMPLES)
def test_so_it_is_in_the_examples(name: str) -> None:
    trace = run_script(find_script(name)).trace
    picture = stills_of(trace).picture
    steps = range(len(trace) + 1) if len(trace) < 1000 else range(0, len(trace) + 1, len(trace) // 1000)
    every = list(states(trace))
    assert_counts(picture, [every[step] for step in steps])
    assert_counts(picture, [every[step] for step in reversed(steps)][:: max(1, len(steps) // 100)])


@settings(deadline=None, max_examples=30)
@given(programs, st.lists(st.integers(0, 400), max_size=20))
def test_a_picture_that_was_looked_at_before_looks_as_a_new_one(program: list[Instruction], jumps: list[int]) -> None:
    trace = run(program)
    if stills := drawn(trace):
        used = stills.picture
        for state in walks(trace, jumps):
            anew = Picture(used.history, used.choice, used.drawing, used.ranges, used.engine)
            assert looks_of(used, state) == looks_of(anew, state)


@cache
def blocks() -> RecordedScene:
    """A model of twelve alike blocks."""
    scene = make_scene(recorded(lambda torch: MODELS["gpt2"](torch)(), autograd_lab))
    assert isinstance(scene, RecordedScene)
    return scene


def test_a_stack_shows_at_every_step_how_far_backward_has_come_in_it() -> None:
    scene = blocks()
    picture = scene.stills.picture
    [stack] = [part for part in parts_of(picture, "card") if picture.choice.cards.cards[part.of].kind == "stack"]
    card = picture.choice.cards.cards[stack.of]
    shown = [(step, look.text("progress")) for step, look in scene.tracks[stack.id]]
    assert {text for step, text in shown if step <= scene.moments["forward"]} == {"0"}
    thousandths = [int(text) for _, text in shown]
    assert thousandths == sorted(thousandths) and thousandths[-1] == 1000 and len(set(thousandths)) == len(card.ops) + 1
    assert scene.look(stack, scene.state(scene.steps)).text("times") == f" ×{card.times}"
    for _, look in scene.tracks[stack.id][:: len(card.ops) // 20]:
        assert "?" not in re.findall(">([^<]*)<", scene.draw(stack, look))


def test_a_second_pass_is_counted_anew() -> None:
    def twice(torch: object) -> None:
        x = autograd_lab.tensor(2.0, requires_grad=True)
        y = (x * x).exp()
        y.backward(retain_graph=True)
        y.backward()

    trace = recorded(twice, autograd_lab)
    picture = stills_of(trace).picture
    starts = [step for step, event in enumerate(trace, 1) if isinstance(event, BackwardStarted)]
    assert len(starts) == 2
    tallies: dict[int, Tally] = {}
    cards = [card for card in picture.choice.cards.cards.values() if card.ops]
    ran = [
        sum(Now(picture.history, state, tallies).counts(card).ran for card in cards)
        for state in states(trace)
        if state.step in (starts[0], starts[1] - 1, starts[1])
    ]
    assert ran == [0, 2, 0]
