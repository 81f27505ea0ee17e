"""The scene: one picture for a whole trace, and for each of its parts the few steps at which its look changes.

This is the contract between Python and whatever draws: an SVG, a PNG, a page, a widget. Whoever has a scene needs to
know nothing of autograd; it shows parts at their places and gives them the look that a step asks for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import Any, Literal, NamedTuple

from autograd_lab.trace import Trace
from autograd_lab.view.charts.run import course_height
from autograd_lab.view.compiled.captured import ONE_VIEW, Captured
from autograd_lab.view.compiled.inventory import cards_of
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.frame import GAP, HEAD, MARGIN, Frame, lines_of
from autograd_lab.view.graph.legend import Entry, entries_of, legend_height, possible_entries
from autograd_lab.view.graph.look import Looks
from autograd_lab.view.graph.maths import in_maths
from autograd_lab.view.graph.plan.fold import Folding
from autograd_lab.view.graph.plan.plan import Plan
from autograd_lab.view.graph.plan.same_places import Places
from autograd_lab.view.graph.recorded import Recorded, recorded
from autograd_lab.view.kit.headline import Headline
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.style import style_sheet
from autograd_lab.view.large_sheet import poster_of
from autograd_lab.view.layout.boxes import Direction, Engine
from autograd_lab.view.still import Stills, form_of, stills_of
from autograd_lab.view.subject import NothingToDraw, Subject
from autograd_lab.view.track import Track, tracks_of

FRAME_KINDS = ("title", "caption", "code")
NARROWEST = 1000.0
"""Width of the narrowest picture, so that captions and legend have room, px."""
CHECKPOINTS, STOPS = 1000, 16
"""States that are kept at most for a jump to any step to be short, and of these as many as a first long jump makes."""

View = Literal["engine", "maths"]
FOOT = 26.0
"""Height of the line that says what is folded, px."""


class Options(NamedTuple):
    """What was asked for besides view and direction, in the words of `make_scene`."""

    layout: Engine = "auto"
    root: str | None = None
    folding: Folding = Folding()
    places: Places | None = None


@dataclass
class Scene:
    """A picture: `parts` at their places, `routes` of links, and what each looks like when.

    All steps fit `width` × `height` px; one step with a short legend may need less height (`height_for`).
    """

    trace: Trace
    subject: Subject
    frame: Frame
    parts: list[Part]
    routes: dict[str, Path]
    width: float
    height: float
    view: View
    direction: Direction
    notices: tuple[str, ...]
    options: Options
    _kept: list[Any] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """How many steps there are; step 0 is before the first event."""
        return len(self.trace)

    @property
    def looks(self) -> Looks:
        """What a recording looks like; of anything else there is nothing to look at."""
        return self.subject.looks if isinstance(self.subject, Recorded) else Looks(History(), {}, {})

    @property
    def plan(self) -> Plan:
        """What is drawn of a recording; nothing of anything else."""
        return self.subject.plan if isinstance(self.subject, Recorded) else Plan()

    @cached_property
    def moments(self) -> dict[str, int]:
        """The steps of the moments that have a name; those that exist."""
        return self.subject.moments(self.trace.events)

    @property
    def style(self) -> str:
        """The CSS for a picture of it."""
        return style_sheet(self.subject.style, torn=self.trace.is_torn, course=self.trace.course is not None)

    @undisturbed
    def state(self, step: int) -> Any:
        """The state after `step` events. Raises IndexError for a step that the trace does not have."""
        if not 0 <= step <= self.steps:
            raise IndexError(f"step {step} is not in this trace; its steps are 0 to {self.steps}")
        self._kept = self._kept or [self.subject.before()]
        near = bisect_right(self._kept, step, key=_step) - 1
        state, events = self._kept[near], self.trace.events
        stride = max(1, self.steps // CHECKPOINTS, (step - state.step) // STOPS)
        while state.step + stride <= step:
            state = self.subject.after(state, events[state.step : state.step + stride])
            near += 1
            self._kept.insert(near, state)
        return self.subject.after(state, events[state.step : step])

    def look(self, part: Part, state: Any) -> Look:
        """How a part looks in a state."""
        if part.kind in FRAME_KINDS:
            return self.frame.at(part, state)
        look = self.subject.look(part, state)
        return in_maths(part.kind, look) if self.view == "maths" else look

    def height_for(self, entries: int) -> float:
        """Height of a picture whose legend has so many entries, px."""
        legend = legend_height(entries, self.width - 2 * MARGIN - self.frame.code_width - 30)
        foot = FOOT if self.plan.folds else 0
        return self.frame.below + max(self.frame.height, legend) + foot + MARGIN + course_height(self.trace.course)

    def caption(self, step: int) -> str:
        """What step number `step` did, in one sentence with its numbers."""
        return self.frame.captions.at(self.state(step))

    def headline(self, step: int) -> Headline:
        """What step number `step` teaches, in a line."""
        return self.subject.headline(self.state(step))

    def turned(self) -> Scene:
        """The same in the other direction."""
        return _scene(self.trace, self.subject, self.view, "TB" if self.direction == "LR" else "LR", self.options)

    @cached_property
    def stills(self) -> Stills | None:
        """The slides of a recording, drawn as was asked for; None where no op was recorded, and of anything else."""
        with suppress(NothingToDraw):
            return self._drawn_by(stills_of)
        return None

    @cached_property
    def poster(self) -> Stills | None:
        """A recording on a large sheet for print, drawn as was asked for; None of anything else."""
        return self._drawn_by(poster_of)

    def _drawn_by(self, draw: Callable[..., Stills]) -> Stills | None:
        if not isinstance(self.subject, Recorded):
            return None
        folding, layout = self.options.folding, self.options.layout
        asked = Asked(self.options.root, folding.fold, folding.depth, folding.expand)
        return draw(self.trace, self.view, asked=asked, form=form_of(self.direction, layout))

    @cached_property
    def tracks(self) -> dict[str, Track]:
        """For each part the steps at which its look changes, with the look from then on; the first is step 0."""
        return tracks_of(self, self.subject, self.trace)

    @cached_property
    def entries(self) -> list[Entry]:
        """What the legend has to explain at one step or another."""
        return entries_of((part.kind, look) for part in self.parts for _, look in self.tracks[part.id])


@undisturbed
def make_scene(
    trace: Trace,
    view: View = "engine",
    direction: Direction = "LR",
    layout: Engine = "auto",
    root: str | None = None,
    fold: bool = True,
    depth: int | None = None,
    expand: Sequence[str] = (),
    places: Places | None = None,
) -> Scene:
    """Lay out a trace once for all of its steps.

    `view` is "engine" (PyTorch's node names, saved slots, versions) or "maths" (signs and values), `direction` "LR" or
    "TB", `layout` "auto", "layered" or "dot". `root` draws only what the tensor of that name was made of.

    What would make the picture too large is folded, unless `fold` is False: calls of modules, of which `depth` levels
    are open (0: the outermost is one box; None: as many as can be read), and turns of loops. `expand` names modules by
    their paths, with `*` and `?` if need be, that are opened in any case.

    Scenes that share `places` show what they have in common at the same place.

    Raises NothingToDraw for a trace without a graph, and ValueError for an unknown name or option.
    """
    _check(view, ("engine", "maths"), "view")
    _check(direction, ("LR", "TB"), "direction")
    if depth is not None and depth < 0:
        raise ValueError(f"depth should be 0 or more, not {depth}")
    subject = subject_of(trace)
    if view != "engine" and not subject.is_turned:
        raise ValueError(ONE_VIEW)
    folding = Folding(fold, depth, (expand,) if isinstance(expand, str) else tuple(expand))
    return _scene(trace, subject, view, direction, Options(layout, root, folding, places))


def subject_of(trace: Trace) -> Subject:
    """What a trace tells of. Raises NothingToDraw if that is nothing that has a picture."""
    if (cards := cards_of(trace.events)) is not None:
        return Captured(cards)
    found = recorded(trace.events, trace.course)
    if not any(box.facts.requires_grad for box in found.looks.history.boxes.values()):
        raise NothingToDraw(
            "nothing was recorded: no tensor with requires_grad=True took part, so there is no graph to draw"
        )
    return found


def _scene(trace: Trace, subject: Subject, view: View, direction: Direction, options: Options) -> Scene:
    laid = subject.laid(direction, options)
    width = ceil(max(laid.width + 2 * MARGIN, NARROWEST))
    below = HEAD + 10 + laid.height + GAP
    words = subject.words, subject.headline
    frame = Frame(*words, lines_of(trace, trace.files), len(trace), width, below, subject.suspects)
    parts, routes = laid.placed((width - laid.width) // 2, HEAD + 10)
    drawn = [*parts, *_torn_edge(trace, (width + laid.width) / 2, laid.height), *frame.parts]
    notices = (*trace.notes, *laid.notices)
    scene = Scene(trace, laid.subject, frame, drawn, routes, width, 0.0, view, direction, notices, options)
    scene.height = scene.height_for(len(possible_entries(event.kind for event in trace)))
    return scene


def _torn_edge(trace: Trace, right: float, height: float) -> list[Part]:
    """The edge of a picture whose recording broke off, to the right of the graph."""
    if not trace.is_torn:
        return []
    return [Part("edge", "edge", "", right + 6, HEAD + 10, 9, max(height, 60), index=len(trace))]


def _step(state: Any) -> int:
    return int(state.step)


def _check(value: str, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise ValueError(f"{name} should be one of {', '.join(allowed)}, not {value!r}")
