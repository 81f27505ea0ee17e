"""What holds of the cards of every program, at every fineness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

from autograd_lab.events import Edge, Event
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.cards.card import Cards, Edges
from autograd_lab.view.graph.cards.fineness import WORTH, foldings
from autograd_lab.view.graph.cards.names import Names
from autograd_lab.view.graph.cards.window import Window, window_of
from autograd_lab.view.graph.facts.history import Op, history_of

KINDS = {"op", "module", "leaf", "data", "turn", "stack"}


def all_of(events: Iterable[Event], asked: Asked | None = None, most: int | None = None) -> tuple[Window, list[Cards]]:
    """The window of a trace, and all foldings of it."""
    events = list(events)
    history = history_of(events)
    window = window_of(history, events, asked)
    return window, list(foldings(history, window, asked, most))


def assert_lawful(events: Iterable[Event], asked: Asked | None = None) -> list[Cards]:
    """All foldings of a trace, each of which keeps the laws.

    None has more cards than one before it, but for the few that a level of modules is worth.
    """
    events = list(events)
    window, found = all_of(events, asked)
    assert found
    for cards in found:
        each_op_stands_once(window, cards)
        each_edge_goes_once(window, cards)
        sources_come_first(cards)
        names_are_there(cards)
        backward_begins_at_the_end_of_a_card(cards)
    counts = [len(cards.cards) for cards in found]
    least = list(accumulate(counts, min))
    levels = max((call.level + 2 for call in history_of(events).calls), default=0)
    assert all(count <= before + WORTH * levels for before, count in zip(least, counts[1:], strict=False)), counts
    return found


def each_op_stands_once(window: Window, cards: Cards) -> None:
    drawn = [op.id for card in cards.cards.values() for op in card.ops]
    assert sorted(drawn) == sorted(op.id for op in window.ops)
    assert all(op.node is not None for op in window.ops) or cards.history.is_unrecorded
    for name, card in cards.cards.items():
        assert name == card.id and card.kind in KINDS
        numbers = [int(op.id[1:]) for op in card.ops]
        assert numbers == sorted(numbers)
        assert bool(numbers) == (card.kind not in ("leaf", "data"))


def each_edge_goes_once(window: Window, cards: Cards) -> None:
    """Edges within a card are hidden; all others are those of exactly one wire, param or bar."""
    card_of = {op.id: card.id for card in cards.cards.values() for op in card.ops}
    expected = Counter(
        (op.node, number)
        for op in window.ops
        for number, edge in enumerate(getattr(op.event, "edges", ()))
        if edge is not None and (edge.leaf is not None or _maker(edge.node, cards) in card_of)
        if card_of.get(_maker(edge.node, cards)) != card_of[op.id]
    )
    told = Counter(edge for edges in ends_of(cards) for edge in edges)
    again = {cards.history.ops[op].node for op in window.recomputed}
    assert Counter({edge: count for edge, count in told.items() if edge[0] not in again}) == expected
    for wire in cards.wires:
        for node, number in wire.edges:
            op = cards.history.ops[cards.history.op_of_node[node]]
            edge = op.event.edges[number]
            source = cards.cards[wire.source]
            assert op.unpacks or card_of[op.id] == wire.target
            if edge.leaf is not None:
                assert source.kind == "leaf" and source.box.facts.id == edge.leaf
            else:
                assert card_of[cards.history.op_of_node[edge.node]] == wire.source


def _maker(node: str, cards: Cards) -> str:
    return cards.history.op_of_node.get(node, "")


def ends_of(cards: Cards) -> list[Edges]:
    return [*(wire.edges for wire in cards.wires), *cards.uses.values()]


def backward_begins_at_the_end_of_a_card(cards: Cards) -> None:
    """What takes what a pass began at gets no gradient in that pass, so it is on no card of folded ops with it; save
    for what wrote it in place, which is on the card of what it wrote."""
    for card in (card for card in cards.cards.values() if card.kind == "op"):
        roots = {op.node for op in card.ops if op.node in cards.history.roots}
        taken = {edge.node for op in card.ops for edge in _taken_by(op) if edge is not None}
        assert roots.isdisjoint(taken), card.id


def _taken_by(op: Op) -> Sequence[Edge | None]:
    """The edges of an op; of one that wrote in place without those to what it wrote."""
    edges: Sequence[Edge | None] = getattr(op.event, "edges", ())
    written = edges[0] if edges and getattr(op.event, "wrote_in_place", False) else None
    return [edge for edge in edges if edge is not None and (written is None or edge.node != written.node)]


def sources_come_first(cards: Cards) -> None:
    place = {name: number for number, name in enumerate(cards.cards)}
    assert all(place[wire.source] < place[wire.target] for wire in cards.wires)
    assert len({wire.id for wire in cards.wires}) == len(cards.wires)


def names_are_there(cards: Cards) -> None:
    written, again = ([names.of(card) for card in cards.cards.values()] for names in (Names(cards), Names(cards)))
    assert all(words.title for words in written)
    assert written == again


def texts(cards: Cards) -> dict[str, str]:
    """The formula of each card by its title."""
    names = Names(cards)
    return {words.title: words.formula for words in map(names.of, cards.cards.values())}


def titles(cards: Cards) -> list[str]:
    """What stands on the cards, in order."""
    names = Names(cards)
    return [names.of(card).title for card in cards.cards.values()]
