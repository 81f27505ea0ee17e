"""What a movie is painted of: the picture of a step as named pieces, in the order in which they are painted.

Of a recording these are the pieces of its slide, as `view/still.py` gives them; of a compilation, those that
`CompiledScene.svg(…, same_size=True)` is made of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from autograd_lab.view.compiled.compiled_scene import CompiledScene
from autograd_lab.view.compiled.frame_drawing import draw_panel, legend_rows
from autograd_lab.view.compiled.legend import entries_of
from autograd_lab.view.kit.part import Look
from autograd_lab.view.motion.manner import Manner
from autograd_lab.view.motion.score import Score
from autograd_lab.view.motion.tween import tweens
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene

WORDS = ("slide.title", "slide.below", "slide.legend")
"""What is said of a step, which may tell of what rides: until that has arrived, it is of the one before. So is the
legend, whose keys would shift over and over while a movie hurries through many steps."""
ARRIVED = 0.5
"""The share of a step by which that is so, as in `widgets/src/pane.ts`."""
Changes = dict[str, tuple[Look, Look, Manner]]


class Pieces(Protocol):
    """What lies on white paper after each step."""

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the paper, px; they hold all pieces of all steps."""

    @property
    def style(self) -> str:
        """The CSS for all of them."""

    @property
    def clock(self) -> frozenset[str]:
        """The names of the pieces that tell nothing but which step it is."""

    def headline(self, step: int) -> str:
        """The lesson of a step."""

    def pieces(self, step: int) -> dict[str, str]:
        """The SVG of each by its name; no name takes another place in the order at another step."""

    def pace(self, step: int) -> int:
        """For how many milliseconds a step wants to be seen moving; none, if nothing moves."""

    def between(self, step: int, share: float) -> dict[str, str]:
        """The same while a step is gone through; at a share of 1 that is over."""

    def words(self, step: int) -> dict[str, str]:
        """Those pieces that say what a step is about."""


def pieces_of(scene: Scene) -> Pieces:
    """What `draw` shows of a scene."""
    if isinstance(scene, RecordedScene):
        return SlidePieces(scene)
    assert isinstance(scene, CompiledScene)
    return CompiledPieces(scene)


def differing(source: Pieces, steps: range) -> Iterator[int]:
    """The steps, the first one apart, that show anything that the one before did not; a clock alone is not enough.

    Most have a headline of their own, so nothing else has to be compared for these.
    """
    headlines = [source.headline(step) for step in steps]
    for step, before, now in zip(steps[1:], headlines, headlines[1:], strict=False):
        if before != now or _shown(source, step - 1) != _shown(source, step):
            yield step


def _shown(source: Pieces, step: int) -> dict[str, str]:
    return {name: piece for name, piece in source.pieces(step).items() if piece and name not in source.clock}


class SlidePieces:
    """The slide of a recording, whose parts move."""

    def __init__(self, scene: RecordedScene) -> None:
        self._stills, self._scene = scene.stills, scene
        self.clock = self._stills.clock
        self._kept: dict[int, dict[str, str]] = {}
        self._said: dict[int, dict[str, str]] = {}

    @property
    def size(self) -> tuple[float, float]:
        return self._stills.size

    @property
    def style(self) -> str:
        return self._stills.style

    def headline(self, step: int) -> str:
        return self._stills.headline(step)

    def pieces(self, step: int) -> dict[str, str]:
        if step not in self._kept:
            self._kept = {near: it for near, it in self._kept.items() if abs(near - step) == 1}
            self._kept[step] = self._stills.pieces(step)
        return self._kept[step]

    @cached_property
    def _changes(self) -> dict[int, Changes]:
        """By step and id of a part: its look before, that from then on, and how the one becomes the other."""
        picture = self._stills.picture
        score = Score.of(picture, self._scene.trace.events)
        found: dict[int, Changes] = defaultdict(dict)
        for part in picture.parts:
            track = self._scene.tracks[part.id]
            for (_, before), (step, after), manner in zip(track, track[1:], score.manners(part, track), strict=False):
                found[step][part.id] = before, after, manner
        return found

    def pace(self, step: int) -> int:
        return max((manner.lasts for _, _, manner in self._changes.get(step, {}).values()), default=0)

    def between(self, step: int, share: float) -> dict[str, str]:
        stills, found = self._stills, dict(self.pieces(step))
        if share < 1:
            moving = list(tweens(stills.picture, self._changes.get(step, {}), share))
            found |= {tween.part.id: stills.on_slide(tween.svg) for tween in moving}
            found |= {f"ride.{tween.part.id}": stills.on_slide(tween.rider) for tween in moving if tween.manner.token}
        if share < ARRIVED:
            before = self.pieces(step - 1)
            found |= {name: before[name] for name in WORDS}
        return found

    def words(self, step: int) -> dict[str, str]:
        if step not in self._said:
            found = self._stills.pieces(step)
            self._said = {step: {name: found[name] for name in WORDS}}
        return self._said[step]


@dataclass(frozen=True)
class CompiledPieces:
    """A compilation as it is laid out, with room for all that any of its steps needs."""

    scene: CompiledScene
    clock = frozenset[str]()

    @property
    def size(self) -> tuple[float, float]:
        return round(self.scene.width), round(self._bottom)

    @property
    def style(self) -> str:
        return self.scene.style

    def headline(self, step: int) -> str:
        return self.scene.headline(step).text

    def pieces(self, step: int) -> dict[str, str]:
        scene, state = self.scene, self.scene.state(step)
        shown = [(part, scene.look(part, state)) for part in scene.parts]
        shown = [(part, look) for part, look in shown if "hidden" not in look.classes]
        entries = entries_of((part.kind, look) for part, look in shown)
        rows = legend_rows(entries, scene.entries, scene.frame)
        return {
            **{part.id: scene.draw(part, look) for part, look in shown if part.kind != "code"},
            "the panel": draw_panel(scene.frame),
            **{part.id: scene.draw(part, look) for part, look in shown if part.kind == "code"},
            **{f"row {number} of the legend": f'<g class="legend">{row}</g>' for number, row in enumerate(rows)},
        }

    def pace(self, step: int) -> int:
        return 0

    def between(self, step: int, share: float) -> dict[str, str]:
        return self.pieces(step)

    def words(self, step: int) -> dict[str, str]:
        return {}

    @property
    def _bottom(self) -> float:
        return self.scene.height_for(len(self.scene.entries))
