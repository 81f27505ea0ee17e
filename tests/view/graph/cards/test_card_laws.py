"""Whatever a program does, its cards keep the laws: each op once, each edge once, no cycles, ever fewer cards."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab import nn, record
from autograd_lab.trace import Trace
from autograd_lab.view.graph.cards.asked import Asked
from tests.story import recorded
from tests.traces import Instruction, programs, run
from tests.view.graph.cards.laws import all_of, assert_lawful

WORLDS = ["autograd_lab", "torch"]


def told(text: str, torch: Any) -> Trace:
    """The trace of a program's text, up to where it fails, if it does."""
    try:
        with record() as trace:
            exec(compile(text, "<program>", "exec"), {"torch": torch})
    except Exception as error:
        assert trace, error
    return trace


@settings(deadline=None, max_examples=150)
@given(programs)
def test_cards_of_random_programs_keep_the_laws(program: list[Instruction]) -> None:
    assert_lawful(run(program))


class Mix(nn.Module):
    """A layer of two operands."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x: Any, y: Any) -> Any:
        return self.weight * x + y


MIXES = [lambda x, y: x * y, lambda x, y: x + y, lambda x, y: x.exp(), lambda x, y: y.view(2), Mix(), Mix()]
steps = st.lists(st.tuples(st.integers(0, len(MIXES) - 1), st.integers(0, 99), st.integers(0, 99)), max_size=60)


@settings(deadline=None, max_examples=100)
@given(steps, st.integers(1, 6))
def test_cards_of_any_graph_keep_the_laws(wanted: list[tuple[int, int, int]], near: int) -> None:
    """Ops and layers take what was made a while ago, at most `near` values back."""
    with record() as trace:
        made = [torch.ones(2, requires_grad=True)]
        for which, first, second in wanted:
            made.append(MIXES[which](made[-1 - first % min(near, len(made))], made[-1 - second % min(near, len(made))]))
        len(trace)
    assert_lawful(trace)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("tens", range(8))
def test_cards_of_random_stories_keep_the_laws(tens: int, world: str) -> None:
    pytorch = pytest.importorskip("torch")
    from tests.stories.random_programs import random_program

    for seed in range(10 * tens, 10 * tens + 10):
        text = random_program(Random(seed))
        assert_lawful(told(text, pytorch if world == "torch" else torch))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("world", WORLDS)
def test_cards_of_all_stories_keep_the_laws(world: str) -> None:
    pytorch = pytest.importorskip("torch")
    from tests.stories import PROGRAMS

    for program in PROGRAMS.values():
        assert_lawful(recorded(program, pytorch if world == "torch" else torch))


@settings(deadline=None, max_examples=60)
@given(programs, st.data())
def test_cards_of_what_one_tensor_was_made_of_keep_the_laws(program: list[Instruction], data: st.DataObject) -> None:
    trace = run(program)
    window, found = all_of(trace)
    labels = sorted({box.label for box in found[0].history.boxes.values() if box.label})
    root = data.draw(st.sampled_from(labels))
    asked = Asked(root=root)
    assert_lawful(trace, asked)
    assert {op.id for op in all_of(trace, asked)[0].ops} <= {op.id for op in window.ops} or window.iterations > 1


@settings(deadline=None, max_examples=60)
@given(programs)
def test_without_folding_each_op_is_a_card(program: list[Instruction]) -> None:
    window, (cards,) = all_of(run(program), Asked(fold=False))
    assert sum(bool(card.ops) for card in cards.cards.values()) == len(window.ops)


@settings(deadline=None, max_examples=60)
@given(programs)
def test_the_same_program_gives_the_same_cards_and_words(program: list[Instruction]) -> None:
    one, other = (all_of(run(program))[1] for _ in range(2))
    assert [list(cards.cards) for cards in one] == [list(cards.cards) for cards in other]
    assert [cards.note for cards in one] == [cards.note for cards in other]
    assert [[wire.id for wire in cards.wires] for cards in one] == [
        [wire.id for wire in cards.wires] for cards in other
    ]
