"""The scene: one picture for a whole trace, and for each of its parts the few steps at which its look changes.

This is the contract between Python and whatever draws: an SVG, a PNG, a page, a widget. Whoever has a scene needs to
know nothing of autograd; it shows parts at their places and gives them the look that a step asks for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import Literal, NamedTuple

from autograd_lab.events import BackwardFinished, BackwardStarted, ErrorRaised, GradientSent
from autograd_lab.trace import Trace
from autograd_lab.view.charts.course import course_height
from autograd_lab.view.compiled.cards import Cards
from autograd_lab.view.compiled.moments import moments_of
from autograd_lab.view.compiled.places import placed as placed_cards
from autograd_lab.view.graph.facts.history import History, history_of
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.facts.timeline import state_after
from autograd_lab.view.graph.frame import GAP, HEAD, MARGIN, Frame, lines_of
from autograd_lab.view.graph.legend import Entry, entries_of, legend_height, possible_entries
from autograd_lab.view.graph.look import Looks
from autograd_lab.view.graph.maths import in_maths
from autograd_lab.view.graph.plan.fold import Folding
from autograd_lab.view.graph.plan.plan import Plan, plan_of
from autograd_lab.view.graph.plan.same_places import Places
from autograd_lab.view.graph.words.caption import Captions
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.style import style_sheet
from autograd_lab.view.layout.boxes import Direction, Engine, Layout
from autograd_lab.view.layout.shelves import on_shelves
from autograd_lab.view.track import Track, tracks_of

FRAME_KINDS = ("title", "caption", "code")
NARROWEST = 1000.0
"""Width of the narrowest picture, so that captions and legend have room, px."""
CHECKPOINTS, STOPS = 1000, 16
"""States that are kept at most for a jump to any step to be short, and of these as many as a first long jump makes."""

View = Literal["engine", "maths"]
FOOT = 26.0
"""Height of the line that says what is folded, px."""


class NothingToDraw(ValueError):
    """The trace has nothing that a picture of a graph could show; the message says why."""


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
    plan: Plan
    looks: Looks
    frame: Frame
    parts: list[Part]
    routes: dict[str, Path]
    width: float
    height: float
    view: View
    direction: Direction
    notices: tuple[str, ...]
    options: Options
    _kept: list[GraphState] = field(default_factory=lambda: [GraphState()])

    @property
    def steps(self) -> int:
        """How many steps there are; step 0 is before the first event."""
        return len(self.trace)

    @property
    def is_compilation(self) -> bool:
        """Whether it shows how a function was compiled, and no recording."""
        return self.looks.history.cards is not None

    @cached_property
    def moments(self) -> dict[str, int]:
        """The steps of the moments that have a name: forward, backward (its middle), end, error; those that exist."""
        events = self.trace.events
        if self.is_compilation:
            return moments_of(events)
        starts = [step for step, event in enumerate(events) if isinstance(event, BackwardStarted)]
        ends = [step for step, event in enumerate(events, 1) if isinstance(event, BackwardFinished | ErrorRaised)]
        found = {"end": self.steps, "forward": starts[0] if starts else self.steps}
        if starts:
            stop = next((step for step in ends if step > starts[0]), self.steps)
            sent = [step for step in range(starts[0] + 1, stop + 1) if isinstance(events[step - 1], GradientSent)]
            found["backward"] = sent[(len(sent) - 1) // 2] if sent else stop
        errors = [step for step in ends if isinstance(events[step - 1], ErrorRaised)]
        return found | ({"error": errors[0]} if errors else {})

    @property
    def style(self) -> str:
        """The CSS for a picture of it."""
        return style_sheet(compiled=self.is_compilation, torn=self.trace.is_torn, course=self.trace.course is not None)

    @undisturbed
    def state(self, step: int) -> GraphState:
        """The graph after `step` events. Raises IndexError for a step that the trace does not have."""
        if not 0 <= step <= self.steps:
            raise IndexError(f"step {step} is not in this trace; its steps are 0 to {self.steps}")
        near = bisect_right(self._kept, step, key=_step) - 1
        state, events = self._kept[near], self.trace.events
        stride = max(1, self.steps // CHECKPOINTS, (step - state.step) // STOPS)
        while state.step + stride <= step:
            state = state_after(state, events[state.step : state.step + stride])
            near += 1
            self._kept.insert(near, state)
        return state_after(state, events[state.step : step])

    def look(self, part: Part, state: GraphState) -> Look:
        """How a part looks in a state."""
        if part.kind in FRAME_KINDS:
            return self.frame.at(part, state)
        look = self.looks.at(part, state)
        return in_maths(part.kind, look) if self.view == "maths" else look

    def height_for(self, entries: int) -> float:
        """Height of a picture whose legend has so many entries, px."""
        legend = legend_height(entries, self.width - 2 * MARGIN - self.frame.code_width - 30)
        foot = FOOT if self.plan.folds else 0
        return self.frame.below + max(self.frame.height, legend) + foot + MARGIN + course_height(self.trace.course)

    def caption(self, step: int) -> str:
        """What step number `step` did, in one sentence with its numbers."""
        return self.frame.captions.at(self.state(step))

    def turned(self) -> Scene:
        """The same in the other direction."""
        return _scene(self.trace, self.looks.history, self.view, "TB" if self.direction == "LR" else "LR", self.options)

    @cached_property
    def tracks(self) -> dict[str, Track]:
        """For each part the steps at which its look changes, with the look from then on; the first is step 0."""
        return tracks_of(self, self.looks, self.trace)

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
    events = trace.events
    history = history_of(events)
    if history.cards is None and not any(box.facts.requires_grad for box in history.boxes.values()):
        raise NothingToDraw(
            "nothing was recorded: no tensor with requires_grad=True took part, so there is no graph to draw"
        )
    if history.cards is not None and (view, direction, root) != ("engine", "LR", None):
        raise ValueError("how a function was compiled is drawn in one view, from left to right, and as a whole")
    folding = Folding(fold, depth, (expand,) if isinstance(expand, str) else tuple(expand))
    return _scene(trace, history, view, direction, Options(layout, root, folding, places))


def _scene(trace: Trace, history: History, view: View, direction: Direction, options: Options) -> Scene:
    laid = _laid(history, direction, options) if history.cards is None else _laid_cards(history.cards)
    lines = lines_of(trace, trace.files)
    width = ceil(max(laid.width + 2 * MARGIN, NARROWEST))
    below = HEAD + 10 + laid.height + GAP
    frame = Frame(Captions(history, trace.course), lines, len(trace), width, below, tuple(history.watch.stale))
    parts, routes = laid.placed((width - laid.width) // 2, HEAD + 10)
    plan = laid.plan
    looks = Looks(history, {fold.id: fold for fold in plan.folds}, plan.bundles)
    drawn = [*parts, *_torn_edge(trace, (width + laid.width) / 2, laid.height), *frame.parts]
    scene = Scene(
        trace, plan, looks, frame, drawn, routes, width, 0.0, view, direction, (*trace.notes, *laid.notices), options
    )
    scene.height = scene.height_for(len(possible_entries(event.kind for event in trace)))
    return scene


def _torn_edge(trace: Trace, right: float, height: float) -> list[Part]:
    """The edge of a picture whose recording broke off, to the right of the graph."""
    if not trace.is_torn:
        return []
    return [Part("edge", "edge", "", right + 6, HEAD + 10, 9, max(height, 60), index=len(trace))]


class _Laid(NamedTuple):
    """What is drawn, how large it is, and what gives its parts and routes for a corner."""

    plan: Plan
    width: float
    height: float
    notices: tuple[str, ...]
    placed: Callable[[float, float], tuple[list[Part], dict[str, Path]]]


def _laid(history: History, direction: Direction, options: Options) -> _Laid:
    steady = None if options.places is None else options.places[direction]
    plan = plan_of(history, direction, options.root, options.folding, steady)
    lay_out = on_shelves if steady is None else steady.lay_out
    found = lay_out(plan.boxes, plan.links, direction, options.layout)
    notices = (*plan.notices, *([found.notice] if found.notice else []))
    return _Laid(plan, found.width, found.height, notices, lambda x, y: placed(plan, found, x, y, direction))


def _laid_cards(cards: Cards) -> _Laid:
    found = placed_cards(cards)

    def moved(x: float, y: float) -> tuple[list[Part], dict[str, Path]]:
        there = found.moved(x, y)
        return there.parts, there.routes

    return _Laid(Plan(), found.width, found.height, (), moved)


def placed(plan: Plan, found: Layout, x: float, y: float, direction: Direction) -> tuple[list[Part], dict[str, Path]]:
    """The parts of a plan where its layout has them, lines first, and the routes of the lines; (x, y) is its corner."""
    corners = {name: (x + left, y + top) for name, (left, top) in found.places.items()}
    parts = [part.moved(*corners[cell.id]) for cell in plan.cells for part in cell.parts]
    ahead = (1.0, 0.0) if direction == "LR" else (0.0, 1.0)
    routes = {name: _moved(route, x, y, plan.reach[name], ahead) for name, route in found.routes.items()}
    return [*(part for part in plan.link_parts if part.id in routes), *parts], routes


def _moved(route: Path, dx: float, dy: float, reach: tuple[float, float], ahead: tuple[float, float]) -> Path:
    """The route in the frame, led on straight at both ends to where it reaches inside of cells."""
    moved = tuple([(round(x + dx, 1), round(y + dy, 1)) for x, y in route])
    before, after = reach
    if before:
        moved = (*[_on(moved[0], -before * part / 3, ahead) for part in (3, 2, 1)], *moved)
    return (*moved, *[_on(moved[-1], after * part / 3, ahead) for part in (1, 2, 3)]) if after else moved


def _on(point: tuple[float, float], by: float, ahead: tuple[float, float]) -> tuple[float, float]:
    return point[0] + by * ahead[0], point[1] + by * ahead[1]


def _step(state: GraphState) -> int:
    return state.step


def _check(value: str, allowed: tuple[str, ...], name: str) -> None:
    if value not in allowed:
        raise ValueError(f"{name} should be one of {', '.join(allowed)}, not {value!r}")
