"""A recording as the subject of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograd_lab.events import Event
from autograd_lab.trace.course import Course
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.facts.moments import moments_of
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.facts.timeline import state_after
from autograd_lab.view.graph.look import Looks
from autograd_lab.view.graph.placing import placed
from autograd_lab.view.graph.plan.plan import Plan, plan_of
from autograd_lab.view.graph.touched import Sharing, keys_of
from autograd_lab.view.graph.words.caption import Captions
from autograd_lab.view.graph.words.headlines import Headlines
from autograd_lab.view.kit.headline import Headline
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.layout.boxes import Direction
from autograd_lab.view.layout.shelves import on_shelves
from autograd_lab.view.subject import Laid, Row


@dataclass
class Recorded:
    """What was recorded of a program: how `looks` say that it looks, and what is drawn of it."""

    looks: Looks
    words: Captions
    headlines: Headlines
    plan: Plan
    is_turned = True
    is_narrowed = False
    holding = ""
    style = None

    @property
    def suspects(self) -> tuple[str, ...]:
        """The nodes with a slot that is stale at any step."""
        return tuple(self.looks.history.watch.stale)

    @cached_property
    def _sharing(self) -> Sharing:
        return Sharing(self.looks.history)

    def before(self) -> GraphState:
        """The graph before the first event."""
        return GraphState()

    def after(self, state: GraphState, events: Sequence[Event]) -> GraphState:
        """The graph after some more events."""
        return state_after(state, events)

    def laid(self, direction: Direction, options: Any) -> Laid:
        """All that is ever drawn, laid out."""
        history = self.looks.history
        steady = None if options.places is None else options.places[direction]
        plan = plan_of(history, direction, options.root, options.folding, steady)
        lay_out = on_shelves if steady is None else steady.lay_out
        found = lay_out(plan.boxes, plan.links, direction, options.layout)
        notices = (*plan.notices, *([found.notice] if found.notice else []))
        drawn = Recorded(
            Looks(history, {fold.id: fold for fold in plan.folds}, plan.bundles), self.words, self.headlines, plan
        )
        return Laid(drawn, found.width, found.height, notices, lambda x, y: placed(plan, found, x, y, direction))

    def headline(self, state: GraphState) -> Headline:
        """What the step that led to a state teaches, in a line."""
        return self.headlines.at(state)

    def look(self, part: Part, state: GraphState) -> Look:
        """How a part looks in a state."""
        return self.looks.at(part, state)

    def keys(self, part: Part) -> Iterable[str]:
        """The ids whose change can change a part."""
        return keys_of(part, self.looks)

    def touched(self, event: Event, state: GraphState) -> Iterable[str] | None:
        """The ids that an event can have changed."""
        return self._sharing.touched(event, state)

    def moments(self, events: Sequence[Event]) -> dict[str, int]:
        """The steps of forward, backward (where it tells most), end and error, as far as there are such."""
        return moments_of(self.looks.history, events)

    def notable(self, events: Sequence[Event]) -> list[int] | None:
        """None: any step may be shown."""
        return None

    def rows(self, events: Sequence[Event]) -> dict[str, list[Row]]:
        """Nothing beyond what is said of any graph."""
        return {}


def recorded(events: Sequence[Event], course: Course | None) -> Recorded:
    """What a trace has recorded."""
    history = history_of(events)
    return Recorded(Looks(history, {}, {}), Captions(history, course), Headlines(history, events), Plan())
