"""What a user may ask for about what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from autograd_lab.view.graph.facts.call import Call


@dataclass(frozen=True, slots=True)
class Asked:
    """Only what the tensor called `root` was made of; no folding at all; so many levels of modules open, no fewer and
    no more (None: as fits); those called as `expand` has it open in any case; a loop's `iteration`, from 1."""

    root: str | None = None
    fold: bool = True
    depth: int | None = None
    expand: tuple[str, ...] = ()
    iteration: int | None = None


def called(calls: Sequence[Call], patterns: Sequence[str]) -> frozenset[int]:
    """The calls whose path matches one of the patterns.

    Raises ValueError for a path that no module has.
    """
    found: set[int] = set()
    for pattern in patterns:
        fitting = {call.number for call in calls if any(fnmatchcase(name, pattern) for name in _names(call))}
        if not fitting:
            known = list(dict.fromkeys(call.name for call in calls))
            which = f"there are {', '.join(known[:12])}{', …' * (len(known) > 12)}" if known else "no module was called"
            raise ValueError(f"no module is called {pattern!r}; {which}")
        found |= fitting
    return frozenset(found)


def with_those_around(calls: Sequence[Call], numbers: frozenset[int]) -> frozenset[int]:
    """These calls, and all that go on around them."""
    found: set[int] = set()
    for number in numbers:
        at: int | None = number
        while at is not None and at not in found:
            found.add(at)
            at = calls[at].parent
    return frozenset(found)


def _names(call: Call) -> list[str]:
    return [name for name in (call.path, call.name) if name]
