"""What all scenes have in common: that of a recording (`recorded_scene.py`), and that of a compilation
(`compiled/compiled_scene.py`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from autograd_lab.trace import Trace
from autograd_lab.view.kit.font import seen
from autograd_lab.view.kit.headline import Headline
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.layout.boxes import Direction, Engine
from autograd_lab.view.subject import Subject
from autograd_lab.view.track import Track, tracks_of

if TYPE_CHECKING:
    from autograd_lab.view.still import Stills

CHECKPOINTS, STOPS = 1000, 16
"""States that are kept at most for a jump to any step to be short, and of these as many as a first long jump makes."""

View = Literal["engine", "maths"]


class Options(NamedTuple):
    """What was asked for, in the words of `make_scene`."""

    view: View = "engine"
    direction: Direction = "LR"
    layout: Engine = "auto"
    root: str | None = None
    fold: bool = True
    depth: int | None = None
    expand: tuple[str, ...] = ()


@dataclass
class Scene(ABC):
    """A picture of a trace: parts at their places, and what each looks like when."""

    trace: Trace
    subject: Subject
    options: Options
    _kept: list[Any] = field(default_factory=list, init=False, repr=False)

    @property
    def steps(self) -> int:
        """How many steps there are; step 0 is before the first event."""
        return len(self.trace)

    @property
    def view(self) -> View:
        """The view that was asked for."""
        return self.options.view

    @property
    @abstractmethod
    def parts(self) -> list[Part]:
        """All that is drawn, from below to above."""

    @property
    @abstractmethod
    def routes(self) -> dict[str, Path]:
        """The routes of those parts that are lines, by their ids."""

    @property
    @abstractmethod
    def notices(self) -> tuple[str, ...]:
        """What the trace notes, and what is not drawn."""

    @property
    def is_folded(self) -> bool:
        """Whether several ops are drawn as one."""
        return False

    @property
    @abstractmethod
    def style(self) -> str:
        """The CSS for a picture of it, in light colours."""

    @abstractmethod
    def look(self, part: Part, state: Any) -> Look:
        """How a part looks in a state."""

    @abstractmethod
    def draw(self, part: Part, look: Look) -> str:
        """A part in a look, as SVG; empty where there is nothing to see of it."""

    @abstractmethod
    def keys(self, part: Part) -> Iterable[str]:
        """The ids whose change can change a part."""

    def turned(self, keys: Iterable[str] | None, state: Any) -> Iterable[str]:
        """More such ids: of what is found out of things with these ids, and is otherwise now."""
        return ()

    @abstractmethod
    def svg(self, step: int, *, same_size: bool = False, theme: str = "light", poster: bool = False) -> str:
        """The picture after `step` events. Raises ValueError for what it cannot be."""

    @property
    def stills(self) -> Stills | None:
        """The slides of a recording; None of anything else."""
        return None

    @property
    def poster(self) -> Stills | None:
        """A recording on a large sheet for print; None of anything else."""
        return None

    @cached_property
    def moments(self) -> dict[str, int]:
        """The steps of the moments that have a name; those that exist."""
        return self.subject.moments(self.trace.events)

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

    def caption(self, step: int) -> str:
        """What step number `step` did, in one sentence with its numbers."""
        return seen(self.subject.words.at(self.state(step)))

    def headline(self, step: int) -> Headline:
        """What step number `step` teaches, in a line."""
        return self.subject.headline(self.state(step))

    @cached_property
    def tracks(self) -> dict[str, Track]:
        """For each part the steps at which its look changes, with the look from then on; the first is step 0."""
        return tracks_of(self, self.subject, self.trace)


def _step(state: Any) -> int:
    return int(state.step)
