"""An opened card: in its place stand cards of exactly its ops, and all others are as they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings

import autograd_lab
from autograd_lab.display.script import find_script, run_script
from autograd_lab.events import Event
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.fineness import all_pieces
from autograd_lab.view.graph.cards.ground import ground_of
from autograd_lab.view.graph.cards.opened import MANY, Openings
from autograd_lab.view.graph.cards.window import Window
from autograd_lab.view.graph.faces.choice import MANY as DRAWN
from tests.models import MODELS
from tests.story import recorded
from tests.traces import Instruction, programs, run
from tests.view.graph.cards import programs as known
from tests.view.graph.cards.laws import (
    all_of,
    each_edge_goes_once,
    each_op_stands_once,
    names_are_there,
    sources_come_first,
    titles,
)
from tests.view.graph.cards.test_cards import EXAMPLES, card_called, with_so_many

torch = pytest.importorskip("torch")


def folded(cards: Cards) -> list[Card]:
    """The cards of several ops."""
    return [card for card in cards.cards.values() if len(card.ops) > 1]


def ops_of(cards: Iterable[Card]) -> set[str]:
    return {op.id for card in cards for op in card.ops}


def told(cards: Iterable[Card]) -> dict[str, tuple[Any, ...]]:
    """What is drawn as which card, leaves aside."""
    return {card.id: (card.kind, [op.id for op in card.ops], card.turn, card.times) for card in cards if card.ops}


def some_of(found: list[Cards]) -> Iterator[Cards]:
    """The finest, the coarsest, and one between."""
    yield from {id(cards): cards for cards in (found[0], found[len(found) // 2], found[-1])}.values()


def assert_opens(events: Iterable[Event], asked: Asked | None = None) -> None:
    """Every card of several ops, in some foldings, can be opened, and then in turn what was in it."""
    window, found = all_of(events, asked, DRAWN)
    openings = Openings(found[0].history, window, asked)
    for cards in some_of(found):
        for card in folded(cards):
            opened = assert_opened(window, openings, cards, card)
            deeper = next((inner for inner in folded(opened) if ops_of([inner]) < ops_of([card])), None)
            if deeper is not None:
                assert_opened(window, openings, opened, deeper)


def assert_opened(window: Window, openings: Openings, cards: Cards, card: Card) -> Cards:
    """The cards with one open, which keep all laws."""
    opened = openings.opened(cards, card.id)
    assert opened is not None
    each_op_stands_once(window, opened)
    each_edge_goes_once(window, opened)
    sources_come_first(opened)
    names_are_there(opened)
    inner = [each for each in opened.cards.values() if ops_of([each]) & ops_of([card])]
    assert len(inner) > 1
    assert ops_of(inner) == ops_of([card])
    names = {each.id for each in inner}
    assert told(each for each in cards.cards.values() if each is not card) == told(
        each for each in opened.cards.values() if each.id not in names
    )
    assert (opened.note, opened.aside, opened.update) == (cards.note, cards.aside, cards.update)
    return opened


@settings(deadline=None, max_examples=60)
@given(programs)
def test_every_card_of_random_programs_can_be_opened(program: list[Instruction]) -> None:
    assert_opens(run(program))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", known.PROGRAMS, ids=lambda program: program.__name__)
def test_every_card_of_known_programs_can_be_opened(program: Any) -> None:
    assert_opens(recorded(program, torch))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_card_of_the_examples_can_be_opened(name: str) -> None:
    assert_opens(run_script(find_script(name)).trace)


@pytest.mark.parametrize("model", MODELS)
def test_every_card_of_models_can_be_opened(model: str) -> None:
    assert_opens(recorded(lambda torch: MODELS[model](torch)(), autograd_lab))


@pytest.mark.parametrize("asked", [Asked(depth=0), Asked(expand=("d1",)), Asked(root="y")], ids=str)
def test_so_it_is_with_what_was_asked_for(asked: Asked) -> None:
    assert_opens(recorded(known.u_net, torch), asked)


def test_an_opened_card_shows_the_finest_that_is_not_too_many_else_the_fewest() -> None:
    window, found = all_of(recorded(known.u_net, torch))
    history, ground = found[0].history, ground_of(found[0].history, window)
    openings = Openings(history, window)
    every = [tuple({place} for place in range(len(window.ops)))]
    every += [tuple(set(piece.places) for piece in pieces) for pieces in all_pieces(ground, Asked())]
    for cards in found:
        for card in folded(cards):
            places = {ground.places[op.id] for op in card.ops}
            within = [[piece for piece in pieces if piece & places] for pieces in every]
            counts = [len(inner) for inner in within if set().union(*inner) == places and len(inner) > 1]
            opened = openings.opened(cards, card.id)
            assert opened is not None
            shown = sum(bool(ops_of([each]) & ops_of([card])) for each in opened.cards.values())
            assert shown == max((count for count in counts if count <= MANY), default=min(counts))


def test_a_card_of_one_op_cannot_be_opened_nor_can_a_leaf() -> None:
    window, found = all_of(recorded(known.fan_in, torch))
    openings = Openings(found[0].history, window)
    assert not [name for name, card in found[0].cards.items() if len(card.ops) < 2 and openings.opened(found[0], name)]


def test_an_opened_block_shows_its_layers_and_an_opened_layer_its_ops() -> None:
    window, found = all_of(recorded(known.u_net, torch))
    cards, openings = with_so_many(found, 10), Openings(found[0].history, window)
    opened = openings.opened(cards, card_called(cards, "u3").id)
    assert opened is not None and {"u3.0", "u3.1"} < set(titles(opened)) and "u2" in titles(opened)
    window, (first, *_) = all_of(recorded(known.mlp, torch))
    linear = Openings(first.history, window).opened(first, card_called(first, "model.0").id)
    assert linear is not None
    assert [card.ops[0].name for card in linear.cards.values() if card.ops][:2] == ["TBackward0", "AddmmBackward0"]


def test_a_weight_of_an_opened_layer_is_drawn_as_a_leaf() -> None:
    window, (first, *_) = all_of(recorded(known.mlp, torch))
    layer = card_called(first, "model.0")
    opened = Openings(first.history, window).opened(first, layer.id)
    assert opened is not None and len(layer.params) == 2
    assert {opened.cards[box.id].kind for box in layer.params} == {"leaf"}
