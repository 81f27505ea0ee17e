"""Flows: the gradients that have gone along some edges, kept from state to state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Edges
from autograd_lab.view.graph.facts.changes import Changes
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.kit.reading import norm_of

Gradient = tuple[float, int, Value]
"""What was sent along an edge: its norm, what decides among equal ones, and itself."""
Sent = dict[int, Gradient]
"""By the place of its edge, what was sent along a line."""


class Flows:
    """What was sent along the edges of one line, or of each of several."""

    def __init__(self, lines: Sequence[Edges]) -> None:
        self._lines = lines
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, edges in enumerate(lines):
            for place, (node, _) in enumerate(edges):
                self._places[node].append((number, place))
        self._changes = Changes(self._places)
        self._mode: object = None
        self._sent: list[Sent] = [{} for _ in lines]
        self._largest: list[Gradient | None] = [None] * len(lines)
        self._values: list[list[Value] | None] = [None] * len(lines)

    def largest(self, now: Now) -> list[Gradient | None]:
        """Of each line the largest gradient that was sent along it, in flight or delivered; None where none was."""
        mode = (now.state.in_backward, now.state.current)
        if mode != self._mode:  # on which all that counts as sent depends
            self._mode = mode
            self._sent, self._largest = [{} for _ in self._lines], [None] * len(self._lines)
            self._values = [None] * len(self._lines)
            self._changes.forget()
        changed = {number for node in self._changes.until(now.state) for number in self._put(node, now)}
        for number in changed:
            self._values[number] = None
            self._largest[number] = max(self._sent[number].values(), default=None)
        return self._largest

    def _put(self, node: str, now: Now) -> Iterator[int]:
        for number, place in self._places[node]:
            value = now.sent(self._lines[number][place])
            if value is not None:
                self._sent[number][place] = (norm_of(value) or 0.0, -place, value)
                yield number
            elif self._sent[number].pop(place, None) is not None:
                yield number

    def count(self, number: int) -> int:
        """How many gradients were sent along a line, in the state that was asked about last."""
        return len(self._sent[number])

    def values(self, number: int) -> list[Value]:
        """The gradients that were sent along a line, in the state that was asked about last, in the order of its edges:
        the same list as before, if they are the same."""
        found = self._values[number]
        if found is None:
            found = self._values[number] = [sent[-1] for _, sent in sorted(self._sent[number].items(), key=_place)]
        return found

    def delivered(self, number: int, now: Now) -> list[Value]:
        """Those of them that have arrived."""
        places = self._places.get(now.flying[0], ()) if now.flying is not None else ()
        away = {place for line, place in places if line == number and self._lines[line][place] == now.flying}
        if not away:
            return self.values(number)
        return [sent[-1] for place, sent in sorted(self._sent[number].items(), key=_place) if place not in away]

    def come(self, now: Now) -> int:
        """How many gradients have arrived along all lines, in the state that was asked about last."""
        flying = now.flying
        places = self._places.get(flying[0], ()) if flying is not None else ()
        return sum(map(len, self._sent)) - sum(self._lines[number][place] == flying for number, place in places)

    def edges(self, number: int) -> int:
        """How many edges a line has."""
        return len(self._lines[number])

    @property
    def most(self) -> int:
        """How many edges all lines have."""
        return sum(map(len, self._lines))

    def arrived(self, now: Now) -> list[float | None]:
        """Of each line the largest norm that has arrived; None where nothing has."""
        norms = [None if found is None else found[0] for found in self.largest(now)]
        for number, place in self._places.get(now.flying[0], ()) if now.flying is not None else ():
            if self._lines[number][place] == now.flying:
                found = self._sent[number]
                norms[number] = max((norm for at, (norm, *_) in found.items() if at != place), default=None)
        return norms


def _place(item: tuple[int, Gradient]) -> int:
    return item[0]
