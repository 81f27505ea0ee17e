"""What a scene is of: the seam between a picture and what it shows.

A recording is a subject (`graph/recorded.py`), a compilation another (`compiled/captured.py`). A scene, its tracks
and its player ask their subject these things.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from autograd_lab.events import Event
from autograd_lab.view.kit.headline import Headline

Row = list[Any]
"""What is said of a thing: a word, a text, and the step at which that came about, if there is one."""


class NothingToDraw(ValueError):
    """The trace has nothing that a picture of a graph could show; the message says why."""


class Words(Protocol):
    """What is said of each state of a subject."""

    def at(self, state: Any, /) -> str:
        """What the step that led to a state did, in a sentence."""

    def moment(self, state: Any, /) -> str:
        """Where in the program's life a state is."""

    def iteration(self, step: int) -> str:
        """Which iteration of how many a step belongs to; empty where the whole run is shown."""


class Subject(Protocol):
    """Something that a trace tells of: what is true of it at each step, and how that looks and is said."""

    @property
    def words(self) -> Words:
        """What is said of each state."""

    def headline(self, state: Any) -> Headline:
        """What the step that led to a state teaches, in a line."""

    @property
    def views(self) -> tuple[str, ...]:
        """The views in which it is drawn."""

    @property
    def suspects(self) -> tuple[str, ...]:
        """The nodes with a slot that is stale at any step."""

    @property
    def holding(self) -> str:
        """What is said of the bytes that are held, if it is always the same."""

    def before(self) -> Any:
        """The state before the first event."""

    def after(self, state: Any, events: Sequence[Event]) -> Any:
        """The state after some more events; `state` stays as it is."""

    def touched(self, event: Event, state: Any) -> Iterable[str] | None:
        """The ids that an event, which led to a state, can have changed; None if it can have changed everything."""

    def moments(self, events: Sequence[Event]) -> dict[str, int]:
        """The steps of the moments that have a name."""

    def notable(self, events: Sequence[Event]) -> list[int] | None:
        """The steps that a short account of it shows, if it has a choice of its own."""

    def rows(self, events: Sequence[Event]) -> dict[str, list[Row]]:
        """What the inspector says of its parts, by their ids."""
