"""Pieces: the ops of a history, in running order, cut into what is drawn by itself and what may be folded.

A piece is one op, or the ops of a module call that stays closed, or those of several such calls in a row that are
alike. Pieces are intervals of the running order, which is topological, so none can ever lie on a cycle. Only nodes
from before the recording, which are met while a module runs, stand before the piece they are met in: they lead to
nothing but each other and leaves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from autograd_lab.events import NodeMet
from autograd_lab.view.graph.facts.call import Call
from autograd_lab.view.graph.facts.history import History, Op


@dataclass(frozen=True, slots=True)
class Piece:
    """One op, or the ops of the closed module calls `calls`; `inside` is the innermost open call around it."""

    ops: tuple[Op, ...]
    calls: tuple[Call, ...] = ()
    inside: Call | None = None


class Pieces:
    """Ways to cut `ops`, those of a history that are to be drawn; `opened` has calls that are open in any case."""

    def __init__(self, history: History, ops: Sequence[Op], opened: frozenset[int] = frozenset()) -> None:
        self._ops = ops
        self._opened = opened
        self._whole = history.calls
        numbers = [int(op.id[1:]) for op in ops]
        self._calls = [  # whose ends are places among `ops`, which need not be all there are
            replace(call, start=bisect_left(numbers, call.start), end=bisect_left(numbers, call.end))
            for call in history.calls
        ]

    @cached_property
    def levels(self) -> int:
        """How many levels of modules have anything to hide."""
        return max((call.level + 1 for call in self._calls if not self._is_trivial(call)), default=0)

    def singly(self) -> list[Piece]:
        """Every op by itself."""
        return self._cut([], [call.number for call in self._calls])

    def at(self, depth: int, *, layers: bool = True) -> list[Piece]:
        """With `depth` levels of modules open; of calls in a row that are alike only the first.

        Without `layers`, modules that call no other ones stay closed, save for an outermost one.
        """
        is_open: list[bool] = []
        heads: list[Call] = []
        for call in self._calls:
            around = call.parent is None or is_open[call.parent]
            chosen = call.number in self._opened or self._is_trivial(call)
            small = not layers and call.parent is not None and call.number not in self._outer
            opens = chosen or (call.level < depth and call.number not in self._repeats and not small)
            is_open.append(around and opens)
            if around and not opens:
                heads.append(call)
        return self._cut(heads, [number for number, yes in enumerate(is_open) if yes])

    @cached_property
    def _outer(self) -> frozenset[int | None]:
        """The calls around others that hide anything."""
        return frozenset(call.parent for call in self._calls if not self._is_trivial(call))

    def _is_trivial(self, call: Call) -> bool:
        """Whether folding the call would hide next to nothing: no op, or one without parameters."""
        return call.size < 1 or (call.size == 1 and not call.parameters)

    @cached_property
    def _repeats(self) -> frozenset[int]:
        """The calls that do what a sibling has done: the one right before them, or any if they call other modules.

        Of whole models that are called several times, for parts of a batch say, it is the last that counts: there the
        gradients are those that are left at the end.
        """
        found = set()
        last: dict[int | None, int] = {}
        latest = {self._models[call.number]: call.number for call in self._calls if call.parent is None}
        for call in self._calls:
            if call.size:
                model = self._models[call.number]
                adjoins = call.parent in last and self._adjoins(self._calls[last[call.parent]], call)
                if call.parent is None and call.number in self._outer:
                    repeats = latest[model] != call.number
                else:
                    repeats = adjoins or (model != call.number and call.number in self._outer)
                if repeats:
                    found.add(call.number)
                last[call.parent] = call.number
        return frozenset(found)

    @cached_property
    def _models(self) -> dict[int, int]:
        """For each call the first of its siblings that does the same: one class, the same ops on the same shapes."""
        seen: dict[tuple[object, ...], list[Call]] = {}
        models: dict[int, int] = {}
        for call in self._calls:
            alike = seen.setdefault((call.parent, call.type, call.size), [])
            model = next((other for other in alike if self._does_as(other, call)), call)
            models[call.number] = model.number
            if model is call:
                alike.append(call)
        return models

    def _adjoins(self, one: Call, other: Call) -> bool:
        return one.end == other.start and self._models[one.number] == self._models[other.number]

    def _does_as(self, one: Call, other: Call) -> bool:
        pairs = zip(self._ops[one.start : one.end], self._ops[other.start : other.end], strict=True)
        return all(_alike(a, b) for a, b in pairs)

    def _cut(self, heads: list[Call], opened: list[int]) -> list[Piece]:
        """Pieces for the closed calls `heads`, alike ones in a row as one, and all other ops by themselves."""
        inside = self._innermost(opened)
        pieces: list[Piece] = []
        at = 0
        for run in self._runs([call for call in heads if call.size]):
            start, end = run[0].start, run[-1].end
            pieces += self._single(range(at, start), inside)
            met = [number for number in range(start, end) if isinstance(self._ops[number].event, NodeMet)]
            pieces += self._single(met, inside)
            if len(met) < end - start:
                rest = tuple(self._ops[number] for number in range(start, end) if number not in met)
                pieces.append(Piece(rest, tuple(self._whole[call.number] for call in run), inside[start]))
            at = end
        return pieces + self._single(range(at, len(self._ops)), inside)

    def _single(self, numbers: Iterable[int], inside: list[Call | None]) -> list[Piece]:
        return [Piece((self._ops[number],), (), inside[number]) for number in numbers]

    def _runs(self, heads: list[Call]) -> list[list[Call]]:
        runs: list[list[Call]] = []
        for call in heads:
            if runs and runs[-1][-1].parent == call.parent and self._adjoins(runs[-1][-1], call):
                runs[-1].append(call)
            else:
                runs.append([call])
        return runs

    def _innermost(self, opened: list[int]) -> list[Call | None]:
        """The innermost open call around each op; calls are in the order in which they were entered."""
        inside: list[Call | None] = [None] * len(self._ops)
        for number in opened:
            call = self._calls[number]
            inside[call.start : call.end] = [self._whole[number]] * call.size
        return inside


def _alike(one: Op, other: Op) -> bool:
    """Whether two ops do the same; the name of one that was not recorded may be another than its node's would be."""
    same = one.name == other.name or (one.node is None) != (other.node is None)
    return same and _shapes(one) == _shapes(other)


def _shapes(op: Op) -> list[tuple[int, ...]]:
    event = op.event
    return [event.tensor.shape] if not hasattr(event, "outputs") else [facts.shape for facts in event.outputs]
