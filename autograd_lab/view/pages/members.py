"""What the parts of a picture stand for: ops, tensors, saved slots and edges; and names that equal parts share.

In another picture of the same trace a card may hide more, or less. What is called the same stands for the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lab.view.graph.cards.card import Card, Wire
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Part

Things = tuple[str, ...]


class Members:
    """The names of the parts of one picture, and what each stands for, the main thing first."""

    def __init__(self, picture: Picture) -> None:
        self._picture, self._history = picture, picture.history
        self._cards = picture.choice.cards
        self._names = {name: name_of(card) for name, card in self._cards.cards.items()}
        self._edges = dict(_edges(self._history))
        self._wires: dict[str, list[Wire]] = {name: [] for name in self._cards.cards}
        for wire in self._cards.wires:
            for end in dict.fromkeys((wire.source, wire.target)):
                self._wires[end].append(wire)

    def name(self, part: Part) -> str:
        """What a part is called in all pictures."""
        match part.kind:
            case "card":
                return self._names[part.of]
            case "link":
                return self.line(self._picture.wire[part.of])
            case "number":
                return f"{self.line(self._picture.wire[part.of])}#"
            case "drop":
                card, bar = self._picture.drawing.drops[part.id]
                return f"{self._names[card]}-{bar}"
            case "slot" if part.of in self._names and part.id == f"{part.of}.s":
                return f"{self._names[part.of]}.s"
        return part.id

    def line(self, wire: Wire) -> str:
        """What a wire is called in all pictures."""
        which = wire.id.removeprefix(f"{wire.source}-{wire.target}")
        return f"{self._names[wire.source]}-{self._names[wire.target]}{which}"

    def wires_at(self, card: str) -> list[Wire]:
        """The wires that begin or end at a card."""
        return self._wires[card]

    def card(self, name: str) -> str:
        """What a card is called in all pictures."""
        return self._names[name]

    def of(self, part: Part) -> Things:
        """What a part stands for."""
        match part.kind:
            case "card":
                return tuple(dict.fromkeys(self._in_card(self._cards.cards[part.of])))
            case "link" | "number":
                return self.on(self._picture.wire[part.of])
            case "drop":
                return self._on(self._cards.uses[self._picture.drawing.drops[part.id]])
            case "slot":
                pocket = self._picture.drawing.pockets[part.id]
                return tuple(self._in_pocket(pocket.card, pocket.op, pocket.slot))
            case "lane":
                return (part.of,)
        return ()

    def _in_card(self, card: Card) -> Iterator[str]:
        """The op that makes what it gives on, or the tensor itself; then what else is in it."""
        made = [box for op in card.ops for box in op.outputs]
        yield from (op.id for op in reversed(card.ops))
        if card.box is not None:
            yield card.box.id
            if not card.ops:
                yield from self._history.lives[card.box.facts.id][:1]
        yield from made
        yield from (box.id for box in card.params)

    def on(self, wire: Wire) -> Things:
        """What a wire stands for."""
        return self._on(wire.edges)

    def _on(self, edges: Iterable[tuple[str, int]]) -> Things:
        return tuple(self._edges[edge] for edge in edges if edge in self._edges)

    def _in_pocket(self, card: Card, op: str | None, number: int) -> Iterator[str]:
        if op:
            yield f"{op}.s{number}"
            return
        for each in card.ops:
            yield from (f"{each.id}.s{number}" for number in range(len(each.slots)))


def name_of(card: Card) -> str:
    """What a card is called in all pictures: one that hides several ops after how many these are, too."""
    return card.id if len(card.ops) < 2 else f"{card.id}+{len(card.ops)}"


def _edges(history: History) -> Iterator[tuple[tuple[str, int], str]]:
    """The operand that each edge of a node comes from, by node and number."""
    for op in history.ops.values():
        for number, use in enumerate(op.uses):
            if op.node is not None and use.operand.edge is not None:
                yield (op.node, use.operand.edge), f"{op.id}.u{number}"
