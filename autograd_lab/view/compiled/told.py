"""What is told of a compilation: cards for operations, stages of the graph, sheets of Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

GONE, CHANGED, LOOP, SAVED, AGAIN, TAKES = "gone", "changed", "loop", "saved", "again", "takes"
"""Sorts of marks: left out; done in another way; part of a loop; kept for backward; done again there; taken from it."""
SIGNS = {GONE: "✗", CHANGED: "→", LOOP: "▤", SAVED: "▣", AGAIN: "↻", TAKES: "←"}


@dataclass(frozen=True, slots=True)
class Mark:
    """What has become of an operation, or what is to be known of it: a sort, and a few words."""

    sort: str
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """An operation or an input. `kind` is "input", "op" or "check"; `line` is that of the program."""

    id: str
    title: str
    detail: str
    kind: str
    backward: bool
    line: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """A graph on its way: which cards are there, which feed which, their marks, and what the last ones are good for.

    Links join cards of forward, or cards of backward: what backward takes from forward is told by marks. `titles` are
    those of cards that do something else now than at first.
    """

    name: str
    says: str
    present: frozenset[str]
    links: frozenset[tuple[str, str]]
    marks: Mapping[str, tuple[Mark, ...]] = field(default_factory=dict)
    ends: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value in a buffer, from one line of a sheet to another.

    It was written over the value before, or is written over by the next one, if it is `taken` or `given`.
    """

    buffer: int
    first: int
    last: int
    text: str
    taken: bool
    given: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A listing, and what lies in which buffer while its lines run; `buffers` are headings."""

    title: str
    says: str
    lines: tuple[str, ...]
    buffers: tuple[str, ...]
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Compilation:
    """All that is told. The cards are in an order in which they can run, for all stages together."""

    title: str
    facts: tuple[str, ...]
    cards: tuple[Card, ...]
    stages: tuple[Stage, ...]
    sheets: tuple[Sheet, ...]
