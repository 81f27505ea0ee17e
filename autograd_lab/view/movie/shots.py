"""Shots: which steps a movie rests at, and what moves on the way there.

At the finest grain each step that is seen to differ has a shot. At a coarser one, as a line or a module, a shot goes
through a whole stretch in one breath, faster than by steps, and rests where that ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from autograd_lab import events as e
from autograd_lab.view.motion.grain import GRAINS, Grain, stops_in, stretches_of
from autograd_lab.view.movie.pieces import ARRIVED, Pieces, differing

MOVING = 0.8
"""The part of a shot of one step that may be motion; then it rests."""
MINUTE = 60.0
"""As long as a movie lasts at most whose grain nobody has chosen, if any grain makes it so short, seconds."""


class Shot(NamedTuple):
    """A step, for how long it is seen, and of that for how long it moves, through all steps `since` another one."""

    step: int
    seconds: float
    since: int
    moves: float = 0.0


class Frame(NamedTuple):
    """A share of a step, and for how long it is seen; the step that is spoken of, if that is another one: no one reads
    what each step of a long breath says."""

    step: int
    share: float
    seconds: float
    said: int | None = None


class Plan(NamedTuple):
    """From which step to which a movie goes, the moments in it, and how long a step and a moment are seen, seconds."""

    steps: range
    named: set[int]
    each: float
    pause: float

    def rest(self, since: int, step: int) -> float:
        """How much longer a shot is seen for the moments in it."""
        return self.pause * len(self.named & set(range(since + 1, step + 1)))


def shots_of(pieces: Pieces, events: Sequence[e.Event], plan: Plan, grain: str | None) -> tuple[Shot, ...]:
    """The shots at a grain; at the finest that takes no longer than a minute, if none is asked for.

    Raises ValueError for a grain that there is not.
    """
    names = [each.name for each in GRAINS]
    if grain is not None and grain not in names:
        raise ValueError(f"a grain is {', '.join(names[:-1])} or {names[-1]}, not {grain}")
    begins, ends = [plan.steps.start, *differing(pieces, plan.steps)], stretches_of(events)
    found: tuple[Shot, ...] = ()
    for each in GRAINS:
        if grain not in (None, each.name):
            continue
        fine = each is GRAINS[0]
        shots = tuple(
            _by_step(pieces, plan, begins) if fine else _by_stretch(pieces, plan, begins, each, ends[each.name])
        )
        if grain is not None or sum(shot.seconds for shot in shots) <= MINUTE:
            return shots
        found = shots if len(shots) > 2 or not found else found
    return found


def _by_step(pieces: Pieces, plan: Plan, begins: Sequence[int]) -> Iterator[Shot]:
    """A shot for each step that is seen to differ from the one before; what comes between two looks like the former."""
    for begin, end in zip(begins, [*begins[1:], plan.steps.stop], strict=True):
        seconds = (end - begin) * plan.each + plan.rest(begin - 1, end - 1)
        yield Shot(begin, seconds, begin - 1, min(pieces.pace(begin) / 1000, MOVING * seconds))


def _by_stretch(pieces: Pieces, plan: Plan, begins: Sequence[int], grain: Grain, ends: Sequence[int]) -> Iterator[Shot]:
    """A shot for each stretch in which anything is seen to differ, up to the last step that does."""
    stops = [stop for stop in stops_in(begins, [*ends, plan.steps.stop]) if stop > begins[0]]
    yield Shot(begins[0], plan.each + plan.rest(begins[0] - 1, begins[0]), begins[0] - 1)
    for number, (since, stop) in enumerate(pairwise([begins[0], *stops])):
        wants = sum(map(pieces.pace, range(since + 1, stop + 1))) / grain.fast
        moves = min(wants, grain.longest) / 1000
        last = plan.steps.stop - 1 if number == len(stops) - 1 else stop
        yield Shot(stop, moves + plan.each + plan.rest(since, last), since, moves)


def frames_of(shots: Sequence[Shot], fps: float, pieces: Pieces) -> Iterator[Frame]:
    """The frames of some shots: each but the first begins with what it changes on its way, then rests."""
    for number, shot in enumerate(shots):
        moves = shot.moves if number and fps else 0.0
        count = max(1, round(moves * fps)) if moves else 1
        for frame in range(1, count):
            said = None if shot.since == shot.step - 1 else shot.since if frame / count < ARRIVED else shot.step
            yield Frame(*_on_the_way(shot, frame / count, pieces), moves / count, said)
        yield Frame(shot.step, 1.0, shot.seconds - moves * (count - 1) / count)


def _on_the_way(shot: Shot, part: float, pieces: Pieces) -> tuple[int, float]:
    """Which step a shot has come to, and how far into it: each takes as much of the way as it wants time."""
    paces = [(step, pieces.pace(step)) for step in range(shot.since + 1, shot.step + 1)]
    left = part * sum(pace for _, pace in paces)
    for step, pace in paces:
        if left < pace:
            return step, left / pace
        left -= pace
    return shot.step, 1.0
