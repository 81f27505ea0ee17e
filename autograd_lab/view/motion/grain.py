"""Grains: how far a film goes in one breath: an event, a node, a line, a module, a pass.

A grain cuts a film into stretches. A stretch is played without a halt, up to the last step in it that changes anything
in sight: its stop. Where nothing does, there is no stop, so that no key and no breath of playing is without effect.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autograd_lab import events as e
from autograd_lab.view.motion.manner import Manner
from autograd_lab.view.motion.patterns import CROSS

Seen = Sequence[tuple[int, Hashable]]
"""Of a part the steps at which it looks otherwise, each with all that is seen of it from then on."""
MOST = 60_000
"""As long as a film may play at the grain that it begins with, ms."""
STARTS = (
    e.TensorCreated,
    e.OpApplied,
    e.TensorModified,
    e.GradAssigned,
    e.BackwardStarted,
    e.NodeVisited,
    e.BackwardFinished,
    e.OptimizerEntered,
    e.OptimizerLeft,
    e.CompilingEvent,
)
"""Nothing else begins a stretch; all else belongs to what is before."""
PASSES = (
    e.BackwardStarted,
    e.BackwardFinished,
    e.OptimizerEntered,
    e.OptimizerLeft,
    e.PassStarted,
    e.PassFinished,
)


@dataclass(frozen=True, slots=True)
class Grain:
    """Stretches play `fast` times as fast as they want or, if need be, faster, so that none takes longer than
    `longest`; then the film rests. Milliseconds."""

    name: str
    fast: float
    longest: int
    rest: int

    def lasts(self, pace: Mapping[int, int], stops: Sequence[int]) -> float:
        """How long it takes to play to the last of its stops."""
        stretches = (sum(pace.get(step, 0) for step in range(a + 1, b + 1)) for a, b in pairwise((0, *stops)))
        return sum(min(length / self.fast, self.longest) + self.rest for length in stretches)


GRAINS = (
    Grain("event", 1, 2000, 0),
    Grain("node", 1.5, 1600, 250),
    Grain("line", 2, 2000, 400),
    Grain("module", 2.5, 2400, 500),
    Grain("pass", 3, 8000, 800),
)
"""The finest first."""


def pace_of(moved: Iterable[tuple[Seen, Sequence[Manner]]]) -> dict[int, int]:
    """The milliseconds that each step wants to last, of those at which more than a light that goes out is seen."""
    pace: dict[int, int] = {}
    for track, manners in moved:
        for number, (step, _) in enumerate(track[1:]):
            lasts = manners[number].lasts if number < len(manners) else CROSS.lasts
            pace[step] = max(pace.get(step, 0), lasts)
    return {step: pace[step] for step in sorted(pace) if pace[step]}


def changing(tracks: Sequence[Seen], pace: Mapping[int, int]) -> list[int]:
    """Of the steps at which something is seen those after which the picture is another than after the one before."""
    turns: dict[int, list[tuple[int, Hashable]]] = defaultdict(list)
    for number, track in enumerate(tracks):
        for step, look in track[1:]:
            turns[step].append((number, look))
    seen = [track[0][1] for track in tracks]
    since: dict[int, Hashable] = {}
    found = []
    for step in sorted(turns):
        since.update(turns[step])
        if step in pace and any(seen[number] != look for number, look in since.items()):
            found.append(step)
            for number, look in since.items():
                seen[number] = look
            since.clear()
    return found


def stops_in(steps: Sequence[int], ends: Iterable[int]) -> list[int]:
    """Of each stretch the last of some sorted steps; `ends` are the last steps of stretches."""
    found = (steps[place - 1] for end in ends if (place := bisect_right(steps, end)))
    return list(dict.fromkeys(found))


def to_the_end(stops: Sequence[int], ends: Sequence[int]) -> list[int]:
    """The same stops, but the last is the end: nothing that comes after it is seen, which is no reason for one more.

    >>> to_the_end([3, 8], [4, 8, 11])
    [3, 11]
    """
    return [*stops[:-1], ends[-1]] if stops else []


def stretches_of(events: Sequence[e.Event]) -> dict[str, list[int]]:
    """For each grain the last steps of its stretches."""
    origins = _Origins(events)
    keys: dict[str, Callable[[int], Hashable]] = {
        "event": lambda step: step,
        "node": lambda step: step if _starts(events, step) else None,
        "line": lambda step: origins.line(step) if _starts(events, step) else None,
        "module": lambda step: origins.module(step) if _starts(events, step) else None,
        "pass": lambda step: step if isinstance(events[step - 1], PASSES) else None,
    }
    return {name: list(_ends(map(key, range(1, len(events) + 1)))) for name, key in keys.items()}


def _starts(events: Sequence[e.Event], step: int) -> bool:
    event = events[step - 1]
    if isinstance(event, e.TensorModified) and step > 1:
        return not isinstance(events[step - 2], e.OpApplied)
    return isinstance(event, STARTS)


def _ends(keys: Iterable[Hashable]) -> Iterator[int]:
    """The last step of each run of the same key; a step without one goes with those before."""
    current, step = None, 0
    for step, key in enumerate(keys, 1):
        if key is not None and key != current:
            if step > 1:
                yield step - 1
            current = key
    if step:
        yield step


class _Origins:
    """Where steps come from: a step of backward from where its op was applied."""

    def __init__(self, events: Sequence[e.Event]) -> None:
        self._events = events
        self._made: dict[str, int] = {}
        self._calls: list[tuple[tuple[int, str], ...]] = [()]
        inside: tuple[tuple[int, str], ...] = ()
        for step, event in enumerate(events, 1):
            match event:
                case e.ModuleEntered():
                    inside = (*inside, (step, event.module))
                case e.ModuleLeft():
                    inside = inside[:-1]
                case e.OpApplied(node=str(node)):
                    self._made[node] = step
            self._calls.append(inside)
        self._level, self._has_modules = self._parting(), any(self._calls)

    def _parting(self) -> int:
        """The outermost level of calls at which there are several modules."""
        deepest = max(map(len, self._calls))
        modules = [{calls[level][1] for calls in self._calls if len(calls) > level} for level in range(deepest)]
        return next((level for level, paths in enumerate(modules) if len(paths) > 1), 0)

    def line(self, step: int) -> Hashable:
        """The line that it is of; a step that begins or ends a pass is by itself, one at a leaf goes on with that."""
        event = self._events[step - 1]
        if isinstance(event, PASSES):
            return step
        origin = self._origin(step)
        where = None if origin is None else self._events[origin - 1].where
        return None if where is None else (where.file, where.line)

    def module(self, step: int) -> Hashable:
        """The call of a module that it is of, or that it is of none; nothing where there are no modules."""
        if not self._has_modules:
            return None
        if isinstance(self._events[step - 1], PASSES):
            return step
        origin = self._origin(step)
        if origin is None:
            return None
        return self._calls[origin][self._level] if len(self._calls[origin]) > self._level else "none"

    def _origin(self, step: int) -> int | None:
        event = self._events[step - 1]
        return self._made.get(event.node) if isinstance(event, e.NodeVisited) else step


@dataclass(frozen=True, slots=True)
class Stops:
    """The stops of a picture at each grain, and how long its steps want to last."""

    pace: Mapping[int, int]
    at: Mapping[str, list[int]]

    @classmethod
    def of(cls, moved: Sequence[tuple[Seen, Sequence[Manner]]], stretches: Mapping[str, list[int]]) -> Stops:
        """Those of a picture whose parts have some tracks."""
        pace = pace_of(moved)
        steps = changing([track for track, _ in moved], pace)
        return cls(pace, {name: to_the_end(stops_in(steps, ends), ends) for name, ends in stretches.items()})

    def differ(self) -> set[str]:
        """The grains that make a difference: each has other stops than all finer ones, and more than one."""
        found: list[str] = []
        for name, stops in self.at.items():
            if not found or (len(stops) > 1 and all(stops != self.at[finer] for finer in found)):
                found.append(name)
        return set(found)

    def usual(self, grains: Sequence[Grain]) -> int:
        """The number of the grain that halts most often, of those at which it takes no longer than `MOST`; else of the
        coarsest."""
        halts = {n: -len(self.at[grain.name]) for n, grain in enumerate(grains)}
        fitting = [n for n in halts if grains[n].lasts(self.pace, self.at[grains[n].name]) <= MOST]
        return min(fitting, key=halts.__getitem__, default=len(grains) - 1)
