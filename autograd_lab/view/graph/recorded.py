"""A recording as the subject of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograd_lab.events import Event
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import History, history_of
from autograd_lab.view.graph.facts.moments import moments_of
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.facts.timeline import apply_event, state_after
from autograd_lab.view.graph.touched import Sharing
from autograd_lab.view.graph.words.caption import Captions
from autograd_lab.view.graph.words.headlines import Headlines
from autograd_lab.view.kit.headline import Headline
from autograd_lab.view.subject import NothingToDraw, Row

KEPT = 4096
"""So many states are kept: a film goes through all of them twice, and each shares most with the one before."""


@dataclass
class Recorded:
    """What was recorded of a program."""

    history: History
    words: Captions
    headlines: Headlines
    views = ("engine", "maths")
    holding = ""
    _first: GraphState = field(default_factory=GraphState, repr=False)
    _next: dict[int, tuple[GraphState, Event, GraphState]] = field(default_factory=dict, repr=False)
    """By the number of a step the state at it, the event that followed, and the state after that."""

    @property
    def suspects(self) -> tuple[str, ...]:
        """The nodes with a slot that is stale at any step."""
        return tuple(self.history.watch.stale)

    @cached_property
    def _sharing(self) -> Sharing:
        return Sharing(self.history)

    def before(self) -> GraphState:
        """The graph before the first event."""
        return self._first

    def after(self, state: GraphState, events: Sequence[Event]) -> GraphState:
        """The graph after some more events."""
        return self._after(state, events[0]) if len(events) == 1 else state_after(state, events)

    def _after(self, state: GraphState, event: Event) -> GraphState:
        """The graph after one more event; the same object, as often as somebody goes this way."""
        before, by, found = self._next.get(state.step, (None, None, state))
        if before is state and by is event:
            return found
        found = apply_event(state, event)
        if state.step < KEPT:
            self._next[state.step] = state, event, found
        return found

    def headline(self, state: GraphState) -> Headline:
        """What the step that led to a state teaches, in a line."""
        return self.headlines.at(state).translated()

    def touched(self, event: Event, state: GraphState) -> Iterable[str] | None:
        """The ids that an event can have changed."""
        return self._sharing.touched(event, state)

    def moments(self, events: Sequence[Event]) -> dict[str, int]:
        """The steps of forward, backward (where it tells most), end and error, as far as there are such."""
        return moments_of(self.history, events)

    def notable(self, events: Sequence[Event]) -> list[int] | None:
        """None: any step may be shown."""
        return None

    def rows(self, events: Sequence[Event]) -> dict[str, list[Row]]:
        """Nothing beyond what is said of any graph."""
        return {}


def recorded(trace: Trace) -> Recorded:
    """What a trace has recorded. Raises NothingToDraw for one without a graph."""
    history = history_of(trace)
    if not history.is_drawable:
        raise NothingToDraw(
            "nothing was recorded: no tensor with requires_grad=True took part, so there is no graph to draw"
        )
    headlines = Headlines(history, trace.events)
    return Recorded(history, Captions(history, trace.course, headlines), headlines)
