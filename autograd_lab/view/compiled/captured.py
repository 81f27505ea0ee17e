"""A compilation as the subject of a scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autograd_lab.events import CompilingEvent, Event, PassFinished, PassStarted, RecordingStopped
from autograd_lab.view.compiled import look as looks
from autograd_lab.view.compiled.about import about_compilation
from autograd_lab.view.compiled.inventory import Cards
from autograd_lab.view.compiled.sentences import moment, sentence
from autograd_lab.view.compiled.stages import moments_of, notable_steps
from autograd_lab.view.compiled.state import Compilation, after
from autograd_lab.view.kit.changing import replace
from autograd_lab.view.kit.headline import Headline
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.style import COMPILED
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.languages.speaking import spoken
from autograd_lab.view.subject import Row

ONE_VIEW = "how a function was compiled is drawn in one view, from left to right, and as a whole"


@dataclass(frozen=True, slots=True)
class Told:
    """What is known after `step` events: the compilation, and whether the recording broke off."""

    step: int = 0
    event: Event | None = None
    compilation: Compilation = field(default_factory=Compilation)
    stopped: RecordingStopped | None = None
    error: None = None

    @property
    def held(self) -> int:
        """The bytes in use, or the most that are at a time."""
        return self.compilation.nbytes

    @property
    def held_on(self) -> dict[str, int]:
        """They are on the CPU."""
        return {}


class Sentences:
    """What is said of a compilation."""

    @spoken
    @or_else("What this step did is unknown.")
    def at(self, told: Told) -> str:
        """What the step did."""
        if isinstance(told.event, RecordingStopped):
            return f"{told.event.reason} Not shown: {told.event.lost}."
        if not isinstance(told.event, CompilingEvent):
            return "Nothing has happened yet."
        said = sentence(told.event, told.compilation)
        return said[0].upper() + said[1:] if said.startswith("an ") else said

    @spoken
    @or_else("unknown")
    def moment(self, told: Told) -> str:
        """The stage that it is in."""
        if told.stopped is not None:
            return "the recording breaks off here"
        return "before the first line" if told.event is None else moment(told.compilation)

    def iteration(self, step: int) -> str:
        """It has no iterations."""
        return ""


@dataclass
class Captured:
    """How a function was compiled: all the `cards` that are ever drawn of it."""

    cards: Cards
    words: Sentences = field(default_factory=Sentences)
    views = ("engine",)
    suspects: tuple[str, ...] = ()
    holding = "in use at a time"
    style = COMPILED

    def before(self) -> Told:
        """The state before the first event."""
        return Told()

    def after(self, state: Told, events: Sequence[Event]) -> Told:
        """The state after some more events."""
        for event in events:
            state = replace(state, step=state.step + 1, event=event)
            if isinstance(event, CompilingEvent):
                state = replace(state, compilation=after(state.compilation, event))
            elif isinstance(event, RecordingStopped):
                state = replace(state, stopped=event)
        return state

    def headline(self, state: Told) -> Headline:
        """The stage that it is in."""
        stage = self.words.moment(state)
        return Headline(stage[:1].upper() + stage[1:])

    def look(self, part: Part, state: Told) -> Look:
        """How a part looks in a state."""
        if part.kind == "edge":
            return Look(("hidden",)) if state.stopped is None else Look(("torn", "now"))
        return Look(*looks.at(part, state.compilation, state.event))

    def keys(self, part: Part) -> Iterable[str]:
        """The ids whose change can change a part."""
        if part.kind in ("title", "caption", "code"):
            return ("frame",)
        if part.kind == "edge":
            return (f"step{part.index}",)
        return (part.of, part.text) if part.kind == "wire" else (part.of,)

    def touched(self, event: Event, state: Told) -> Iterable[str] | None:
        """The ids that an event can have changed; a pass changes everything."""
        if isinstance(event, PassStarted | PassFinished):
            return None
        found = looks.subjects(event, state.compilation) if isinstance(event, CompilingEvent) else ()
        return dict.fromkeys(("frame", f"step{state.step}", *found))

    def moments(self, events: Sequence[Event]) -> dict[str, int]:
        """The end of each pass."""
        return moments_of(events)

    def notable(self, events: Sequence[Event]) -> list[int] | None:
        """When something was done to the graph."""
        return notable_steps(events)

    def rows(self, events: Sequence[Event]) -> dict[str, list[Row]]:
        """What stays true of cards and buffers."""
        return about_compilation(events)
