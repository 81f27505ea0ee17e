"""Opening: which modules are closed at a depth, and which calls are alike and stand in a row."""

from __future__ import annotations

from collections.abc import Hashable

from autograd_lab.view.graph.cards.asked import Asked, called, with_those_around
from autograd_lab.view.graph.cards.ground import VIEWS, Ground
from autograd_lab.view.graph.cards.groups import Piece
from autograd_lab.view.graph.cards.written import with_writes
from autograd_lab.view.graph.facts.call import Call

LAYERS = frozenset({"RNNCell", "LSTMCell", "GRUCell", "MultiheadAttention", "RNN", "LSTM", "GRU"})
"""Layers of PyTorch's that are one thing to whoever uses them, however many ops they take."""
SMALL = 3
"""Ops, views not counted, of a module that is always closed: a linear layer, a normalisation."""
ROW = 3
"""So many alike calls in a row may be a stack."""


class Opening:
    """The ways to open the modules of a window, as far as a user has asked for."""

    def __init__(self, ground: Ground, asked: Asked) -> None:
        history = ground.history
        self._ground = ground
        self._busy = [call for call in history.calls if call.number in ground.sizes]
        self._around = {call.parent for call in self._busy if call.parent is not None}
        self._asked = called(history.calls, asked.expand)
        culprits = {ground.places[op] for op in history.culprits if op in ground.places}
        wrong = frozenset(call.number for place in culprits for call in ground.around[place])
        self._opened = with_those_around(history.calls, self._asked) | wrong
        self._places = self._places_of_calls()
        self._culprits = culprits
        self.rows = self._alike_in_a_row()
        self._containers = self._found_containers()
        self._known: dict[tuple[int, bool, bool], list[Piece]] = {}

    @property
    def levels(self) -> int:
        """How many levels of modules there are to open."""
        return max((call.level + 1 for call in self._busy), default=0)

    def contains_others(self, depth: int) -> bool:
        """Whether a module that would be closed at a depth does nothing but call others."""
        return any(call.level == depth for call in self._containers.values())

    def at(self, depth: int, *, stacked: bool = False, contained: bool = False) -> list[Piece]:
        """The pieces with `depth` levels of modules open.

        If asked, those in a row but for the first are a stack, and `contained` ones stand in the place of the modules
        that do nothing but call them: a `Sequential` is not what a model is made of.
        """
        how = depth, stacked, contained
        if how not in self._known:
            self._known[how] = self._cut(*how)
        return self._known[how]

    def _cut(self, depth: int, stacked: bool, contained: bool) -> list[Piece]:
        stacks = {row[1].number: row for row in self.rows} if stacked else {}
        head: dict[int, Piece] = {}
        for call in self._busy:
            places = self._places[call.number]
            if any(place in head for place in places):
                continue
            if call.number in stacks:
                row = stacks[call.number][1:]
                over = tuple(sorted(place for each in row for place in self._places[each.number]))
                piece = Piece(over, "stack", True, fixed=True, times=len(row), first=row[0].number)
                head |= dict.fromkeys(over, piece)
            elif self._is_closed(call, depth, contained):
                kind = "module" if call.parameters or len(places) > 1 else "op"
                piece = Piece(tuple(places), kind, call.parameters > 0, first=call.number)
                head |= dict.fromkeys(places, piece)
        rest = [self._single(place) for place in range(len(self._ground.ops)) if place not in head]
        pieces = [*{id(piece): piece for piece in head.values()}.values(), *rest]
        return with_writes(self._ground, sorted(pieces, key=lambda piece: piece.places[0]))

    def _single(self, place: int) -> Piece:
        """One op by itself: those of modules that a user wants open, and what went wrong, stay so."""
        inside = self._ground.around[place][:1]
        fixed = place in self._culprits or any(call.number in self._asked for call in inside)
        return Piece((place,), fixed=fixed)

    def _is_closed(self, call: Call, depth: int, contained: bool) -> bool:
        if call.number in self._opened:
            return False
        if contained and call.level == depth and call.number in self._containers:
            return False
        return call.level >= depth or self._is_layer(call)

    def _found_containers(self) -> dict[int, Call]:
        """Calls of modules all of whose ops are those of several modules that they call."""
        inner: dict[int, list[Call]] = {}
        for call in self._busy:
            if call.parent is not None:
                inner.setdefault(call.parent, []).append(call)
        covered = {
            number: sum(len(self._places[each.number]) for each in several)
            for number, several in inner.items()
            if len(several) > 1
        }
        return {call.number: call for call in self._busy if covered.get(call.number) == len(self._places[call.number])}

    def _is_layer(self, call: Call) -> bool:
        if call.number in self._around:
            return call.type in LAYERS
        names = [self._ground.bases[place] for place in self._places[call.number]]
        return call.type in LAYERS or sum(name not in VIEWS for name in names) <= SMALL

    def _places_of_calls(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {call.number: [] for call in self._busy}
        for place in range(len(self._ground.ops)):
            for call in self._ground.around[place]:
                found[call.number].append(place)
        return found

    def _alike_in_a_row(self) -> list[list[Call]]:
        """Calls of one class with weights, one right after the other, that do the same; none in what is opened.

        The first may lack some views, of what comes in without a gradient.
        """
        rows: list[list[Call]] = []
        latest: dict[int | None, list[Call]] = {}
        for call in self._busy:
            row = latest.get(call.parent, [])
            if row and self._follows(row[-1], call):
                row.append(call)
            else:
                latest[call.parent] = row = [call]
                rows.append(row)
        return [row for row in rows if len(row) >= ROW and not any(call.number in self._opened for call in row)]

    def _follows(self, one: Call, other: Call) -> bool:
        before, after = self._places[one.number], self._places[other.number]
        adjoins = before[-1] + 1 == after[0] and one.type == other.type and other.parameters > 0
        return adjoins and one.parent is not None and self._does(one) == self._does(other)

    def _does(self, call: Call) -> Hashable:
        places = self._places[call.number]
        names = [self._ground.bases[place] for place in places]
        return call.parameters, tuple(name for name in names if name not in VIEWS)
