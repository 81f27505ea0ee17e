"""Two traces side by side: both scenes, what belongs together in them, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograd_lab.events import Where
from autograd_lab.trace import Trace
from autograd_lab.view.compare.difference import Difference, differences_of, partners_of
from autograd_lab.view.compare.pairing import Pairing, pairing_of
from autograd_lab.view.compare.shared_places import Places, by_partners
from autograd_lab.view.kit.program_lines import line_at
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw

REACH, BESIDE = 10, 2
"""So far a mark reaches above a picture with its rim, and a frame beside it, px."""
Lines = tuple[Where | None, Where | None]
Earlier = tuple[Sequence[Trace], Sequence[Trace]]
"""Traces of iterations, of each of two runs."""


@dataclass(frozen=True)
class Both:
    """Two scenes, what they are called, and how they compare."""

    scenes: tuple[RecordedScene, RecordedScene]
    titles: tuple[str, str]
    pairing: Pairing
    earlier: Earlier = ([], [])
    """Iterations before those that are shown, as far as they are known."""

    @property
    def title(self) -> str:
        """Both titles as one."""
        return worded("{} and {}", *self.titles)

    @cached_property
    def differences(self) -> list[Difference]:
        """What differs, in the order in which it begins to."""
        return differences_of(self.scenes, self.pairing, self.titles, self.earlier)

    @property
    def first_beat(self) -> int:
        """The beat at which the first difference begins; the first of all, where there is none."""
        return self.differences[0].beat if self.differences else 0

    @property
    def is_parted_from_the_beginning(self) -> bool:
        """Whether what differs first was there before the first line."""
        return bool(self.differences) and line_at(self.scenes[0].trace.events, self._parts_at) is None

    @property
    def _parts_at(self) -> int:
        """The step of the first trace at which the first difference begins."""
        return self.pairing.beats[self.differences[0].beat][0]

    @property
    def parting(self) -> str:
        """Up to where both are the same: the lines at which the first difference begins."""
        if not self.differences:
            return worded("nothing differs")
        here, before = self._lines(self.first_beat), self._lines(self.first_beat - 1)
        if (alone := self._alone) is not None and (line := here[alone]) is not None:
            return worded("different from {} on, in “{}”: {}", line, self.titles[alone], line.text.strip())
        if here[0] is None:
            return worded("they differ from the beginning")
        if before[0] in (None, here[0]):
            return worded("different from {} on: {}", both_lines(here), here[0].text.strip())
        text = here[0].text.strip()
        return worded("the same up to {}, then from {} on: {}", both_lines(before), both_lines(here), text)

    @property
    def _alone(self) -> int | None:
        """The side that goes on alone where the first difference begins, if the other one waits meanwhile."""
        beats, at = self.pairing.beats, self.first_beat
        waiting = [side for side in (0, 1) if at and beats[at][side] == beats[at - 1][side]]
        return 1 - waiting[0] if waiting else None

    def _lines(self, beat: int) -> Lines:
        """Where both programs are at a beat."""
        steps = self.pairing.beats[beat] if beat > 0 else (0, 0)
        one, other = (
            line_at(s.trace.events, step) if step else None for s, step in zip(self.scenes, steps, strict=True)
        )
        return one, other

    @property
    def told(self) -> list[str]:
        """The differences in sentences.

        Of a late iteration those of what the programs do come first: the numbers with which it begins follow from them.
        """
        late = self.is_parted_from_the_beginning and self.scenes[0].trace.course is not None
        told = sorted(self.differences, key=lambda each: late and not each.is_of_programs)
        return [each.text for each in told]


def both_lines(lines: Lines) -> str:
    """Lines of both programs, or the one of both."""
    return " / ".join(dict.fromkeys(str(line) for line in lines if line is not None))


def both_of(one: Trace, other: Trace, titles: tuple[str, str], earlier: Earlier = ([], []), **options: Any) -> Both:
    """Lay out two traces. `options` are those of `make_scene`. Raises what that raises."""
    first, second = (make_scene(trace, **options) for trace in (one, other))
    if not (isinstance(first, RecordedScene) and isinstance(second, RecordedScene)):
        raise NothingToDraw("what is compared are recordings, and one of these tells how a function was compiled")
    pairing = pairing_of(one, other, first.history, second.history)
    Places().hold((first, second), by_partners(pairing))
    return Both((first, second), titles, pairing, earlier)


def film_of_both(both: Both) -> dict[str, Any]:
    """All that the player shows of two traces, JSON-able; the words are those of `widgets/src/pair.ts`."""
    one, other = both.scenes
    pairing = both.pairing
    links = set(pairing.links)
    films = [film_of(scene, title) for scene, title in zip(both.scenes, both.titles, strict=True)]
    for graph in (graph for film in films for graph in film["graphs"]):
        _make_room(graph["bounds"])
    return {
        "title": both.title,
        "counted": ""
        if one.trace.course is None
        else worded("Iterations are counted from 1, also where a loop counts from 0."),
        "films": films,
        "beats": pairing.beats,
        "linked": "".join(".1"[beat in links] for beat in pairing.beats),
        "partners": partners_of(one.history, other.history, pairing),
        "differences": [[each.beat, each.text] for each in both.differences],
        "marks": [[*mark, each.text] for each in both.differences for mark in each.marks],
    }


def _make_room(bounds: dict[str, int]) -> None:
    """For frames around cards, and for the marks on their upper edges."""
    bounds["x"] -= BESIDE
    bounds["y"] -= REACH
    bounds["width"] += 2 * BESIDE
    bounds["height"] += REACH + BESIDE
