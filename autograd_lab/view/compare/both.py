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
    def _alone(self) -> Where | None:
        """The line of the second program at which the first difference begins, if the first one waits meanwhile."""
        beats, at = self.pairing.beats, self.first_beat
        if not at or beats[at][0] != beats[at - 1][0]:
            return None
        return line_at(self.scenes[1].trace.events, beats[at][1])

    @property
    def parting(self) -> str:
        """Up to where both are the same: the line at which the first difference begins, in the program that has it."""
        if not self.differences:
            return worded("nothing differs")
        if (alone := self._alone) is not None:
            return worded("different from {} on, in “{}”: {}", alone, self.titles[1], alone.text.strip())
        step = self._parts_at
        events = self.scenes[0].trace.events
        here, before = line_at(events, step), line_at(events, step - 1) if step > 1 else None
        if here is None:
            return worded("they differ from the beginning")
        if before in (None, here):
            return worded("different from {} on: {}", here, here.text.strip())
        return worded("the same up to {}, then from {} on: {}", before, here, here.text.strip())

    @property
    def told(self) -> list[str]:
        """The differences in sentences.

        Of a late iteration those of what the programs do come first: the numbers with which it begins follow from them.
        """
        late = self.is_parted_from_the_beginning and self.scenes[0].trace.course is not None
        told = sorted(self.differences, key=lambda each: late and not each.is_of_programs)
        return [each.text for each in told]


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
    links, films = set(pairing.links), zip(both.scenes, both.titles, strict=True)
    return {
        "title": both.title,
        "films": [film_of(scene, title) for scene, title in films],
        "beats": pairing.beats,
        "linked": "".join(".1"[beat in links] for beat in pairing.beats),
        "partners": partners_of(one.history, other.history, pairing),
        "differences": [[each.beat, each.text] for each in both.differences],
        "marks": [[*mark, each.text] for each in both.differences for mark in each.marks],
    }
