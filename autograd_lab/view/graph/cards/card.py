"""Cards: what a picture of a graph is made of, and the wires between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autograd_lab.view.graph.cards.back_passes import Recorded
from autograd_lab.view.graph.cards.ground import Ground
from autograd_lab.view.graph.cards.groups import Piece
from autograd_lab.view.graph.cards.skips import Skips
from autograd_lab.view.graph.cards.updates import Update
from autograd_lab.view.graph.facts.call import Call
from autograd_lab.view.graph.facts.history import Box, History, Op, Use

Edges = tuple[tuple[str, int], ...]
"""Edges of the graph: a node, and which of its edges."""


@dataclass(frozen=True, slots=True)
class Share:
    """One of several cards that use the same weights: number `which` `of` so many, all of the `same` module or not.

    `mark` is a letter that they have in common, and no others.
    """

    which: int
    of: int
    same: bool
    mark: str = "A"


@dataclass(slots=True)
class Card:
    """What is drawn as one.

    Its `id` is that of an op ("o5"; of several, that of the op that makes what the card gives on), of a leaf's box
    ("b0"), or "m3" for a module call and for a stack of them, "turn2" for turns of a loop, "d:b7" for a tensor without
    gradient. `ops` are in program order. `box` is what it gives on, its last output that wants a gradient, or the leaf
    itself; `call` the largest module call that lies wholly in it. Of `turns` in a loop the first is number `turn`,
    counted from 1; a stack stands for so many `times` of alike calls. What is `second` was made by a backward pass.
    """

    id: str
    kind: str
    ops: tuple[Op, ...] = ()
    box: Box | None = None
    call: Call | None = None
    params: tuple[Box, ...] = ()
    """Leaves that only modules use: they are drawn inside of these."""
    operands: tuple[Use, ...] = ()
    """Operands without gradient that are not drawn as cards: each box once, and the plain numbers of a single op."""
    turn: int = 0
    turns: int = 1
    times: int = 1
    share: Share | None = None
    second: bool = False
    places: tuple[int, ...] = ()
    """Those of its ops on the ground."""
    hidden: Skips | None = field(default=None, repr=False)
    parts: tuple[Box, ...] = ()
    """What the last op makes, if that is several tensors that want a gradient: no one value is the card's then."""

    @property
    def skips(self) -> bool:
        """Whether it hides a skip: a tensor, and what layers made of it, are added within."""
        return self.hidden is not None and self.hidden.within(self.places)


@dataclass(slots=True)
class Wire:
    """A line from card to card, in the direction of forward; `edges` are those along which gradients come back.

    Without edges no gradient does: what flows is a tensor that needs none, or that was cut off by `detach()`.
    """

    id: str
    source: str
    target: str
    edges: Edges
    box: str = ""


@dataclass
class Cards:
    """All cards in topological order, all wires, and what is not drawn.

    `bars` are leaves that turns of a loop share: lanes below these. `uses` has the edges that bring the gradient of a
    param or bar, by card and box. `aside` are ops without a gradient; `note` says what was folded, `recorded` of which
    pass what is second is; `pieces` are the groups of ops that cards were made of, with `level` levels of modules open.
    """

    cards: dict[str, Card]
    wires: list[Wire]
    history: History
    ground: Ground
    bars: tuple[str, ...] = ()
    uses: dict[tuple[str, str], Edges] = field(default_factory=dict)
    note: str = ""
    aside: tuple[Op, ...] = ()
    recorded: Recorded | None = None
    update: Update | None = None
    pieces: tuple[Piece, ...] = ()
    level: float = 0.0
    spines: dict[tuple[bool, bool], Any] = field(default_factory=dict, repr=False)
    """What a layout found of its shape, whatever the cards measure."""

    @cached_property
    def _leaving(self) -> dict[str, list[Wire]]:
        leaving: dict[str, list[Wire]] = {}
        for wire in self.wires:
            leaving.setdefault(wire.source, []).append(wire)
        return leaving

    @cached_property
    def longest(self) -> int:
        """Cards on the longest way along wires."""
        far = dict.fromkeys(self.cards, 1)
        for name in self.cards:
            for wire in self.wires_from(name):
                far[wire.target] = max(far[wire.target], far[name] + 1)
        return max(far.values(), default=0)

    @property
    def recorded_pass(self) -> int | None:
        """The number of the backward pass that was recorded, if one was."""
        return None if self.recorded is None else self.recorded.number

    @cached_property
    def has_second(self) -> bool:
        """Whether any card was made by a backward pass."""
        return any(card.second for card in self.cards.values())

    def wires_from(self, card: str) -> Sequence[Wire]:
        """The wires that leave a card, in order."""
        return self._leaving.get(card, ())
