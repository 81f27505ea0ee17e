"""A number one can drag: a program run beforehand with each of its values, and one page in which everything follows."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from pathlib import Path
from typing import Any, TypeVar

from autograd_lab.display.target import file_target, writing
from autograd_lab.trace import Trace, write_whole
from autograd_lab.view.compare.shared_places import Places, by_lines
from autograd_lab.view.compare.varied import varied
from autograd_lab.view.page import page_of_runs
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.subject import NothingToDraw

T = TypeVar("T")

WITHIN = 60.0
"""So many seconds runs and pictures may take."""
ADVICE = "a player in a notebook needs anywidget: pip install anywidget (.save('page.html') does without)"
PATIENCE = 2.0
"""From one word on how far it has come to the next, s."""
SURE = 3
"""So many things are made however long they take: the own numbers and both ends of the first range."""

Place = tuple[int, ...]
"""Which value each axis has, by its number."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A number that is varied: the values that it takes, and which of them is the program's own."""

    name: str
    values: tuple[str, ...]
    home: int


@dataclass
class Variation:
    """All runs of a program that were made, by their places; the first is the program as it is."""

    title: str
    axes: Sequence[Axis]
    scenes: dict[Place, Scene]
    within: float = WITHIN
    say: Callable[[str], None] = field(default=lambda text: None)

    def __repr__(self) -> str:
        return f"<Variation of {self.said}>"

    @property
    def said(self) -> str:
        """What is varied, and how often it ran."""
        told = ", ".join(f"{axis.name} from {axis.values[0]} to {axis.values[-1]}" for axis in self.axes)
        return f"{self.title}: {told}; {len(self.scenes):,} run{'s' * (len(self.scenes) != 1)}"

    @property
    def home(self) -> Scene:
        """The program as it is."""
        return next(iter(self.scenes.values()))

    def film(self, first: int | None = None) -> dict[str, Any]:
        """What a browser needs, with the first of the runs, or as many as there is time for."""
        recorded = [scene for scene in self.scenes.values() if isinstance(scene, RecordedScene)]
        Places().hold(recorded, [by_lines(scene.history) for scene in recorded])
        progress = Progress("pictures", len(self.scenes), self.within / 2, self.say)
        axes = {axis.name: axis.values for axis in self.axes}
        return varied(islice(progress.through(self.scenes.items()), first), axes, self.title)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a page in which each number is a handle; the file appears whole or not at all.

        Raises ValueError for another suffix than .html, OSError where nothing can be written.
        """
        target = file_target(Path(path), (".html",))
        page = page_of_runs(self.home, self.film()).encode("utf-8", "replace")
        with writing(target):
            write_whole(target, page)
        return target

    def _ipython_display_(self) -> None:
        from IPython.display import display

        try:
            from autograd_lab.display.widget import PlayerOfRuns
        except ImportError:
            raise ImportError(ADVICE) from None
        display(PlayerOfRuns(self))


class Progress:
    """Goes through things as long as there is time, and tells a terminal how far it has come if that takes long."""

    def __init__(self, what: str, total: int, within: float, say: Callable[[str], None]) -> None:
        self._what, self._total, self._within, self._say = what, total, within, say

    def through(self, things: Iterable[T]) -> Iterator[T]:
        """The first `SURE` of the things, and others until time is up; then it is said how many there are."""
        begun = told = time.monotonic()
        for number, thing in enumerate(things):
            now = time.monotonic()
            if number >= SURE and now > begun + self._within:
                self._say(f"time is up: {number} of {self._total} {self._what} are in the page; --within gives more")
                return
            if now > told + PATIENCE and sys.stderr.isatty():
                self._say(f"{number} of {self._total} {self._what}")
                told = now
            yield thing


def variation(
    title: str,
    groups: Sequence[Sequence[Axis]],
    run: Callable[[Mapping[str, str]], Trace | None],
    within: float = WITHIN,
    say: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> Variation:
    """Run a program with all values of each group of axes, the others as the program has them.

    `run` is given the values that are not the program's own, and gives nothing where no further run is wanted. Values
    are taken from coarse to fine, so that what is there when time is up lies as far apart as can be; half of it is for
    the pictures. `options` are those of `make_scene`. Raises NothingToDraw if there is nothing in the first run.
    """
    axes = [axis for group in groups for axis in group]
    scenes: dict[Place, Scene] = {}
    places = list(_places(axes, groups))
    for place in Progress("runs", len(places), within / 2, say).through(places):
        numbers = {axis.name: axis.values[at] for axis, at in zip(axes, place, strict=True) if at != axis.home}
        trace = run(numbers)
        if trace is None:
            break
        try:
            scenes[place] = make_scene(trace, **options)
        except NothingToDraw as nothing:
            if not scenes:
                raise
            say(f"with {_said(numbers)} there is nothing to draw: {nothing}")
    return Variation(title, axes, scenes, within, say)


def _said(numbers: Mapping[str, str]) -> str:
    return ", ".join(f"{name} = {text}" for name, text in numbers.items())


def _places(axes: Sequence[Axis], groups: Sequence[Sequence[Axis]]) -> Iterator[Place]:
    """All places once, home first: of each group in turn from coarse to fine."""
    home = tuple(axis.home for axis in axes)
    found: dict[Place, int] = {home: 0}
    for group in groups:
        for ranked in product(*(enumerate(_coarse_to_fine(len(axis.values))) for axis in group)):
            values = {axis.name: at for axis, (_, at) in zip(group, ranked, strict=True)}
            place = tuple(values.get(axis.name, axis.home) for axis in axes)
            found.setdefault(place, max(rank for rank, _ in ranked))
    return iter(sorted(found, key=lambda place: (place != home, found[place])))


def _coarse_to_fine(count: int) -> list[int]:
    """Numbers below `count`: both ends, then the middles of what lies between those before, and so on.

    >>> _coarse_to_fine(6)
    [0, 5, 2, 1, 3, 4]
    """
    found = dict.fromkeys((0, count - 1))
    waiting = [(0, count - 1)]
    for least, most in waiting:
        middle = (least + most) // 2
        if most - least > 1:
            found[middle] = None
            waiting += [(least, middle), (middle, most)]
    return list(found)
