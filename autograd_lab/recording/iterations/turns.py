"""When a loop comes round: from where the milestones of a program stand on its stack.

A pass of `autograd.grad` under `create_graph` is the inner one of something that is differentiated as a whole, as the
steps of an inner loop are: it ends no iteration, unless nothing follows for long.

A milestone is the end of a backward pass or of an optimizer's step. The program comes by them in a loop, so a turn is
over when it stands where it stood before, or before that: when, in a frame that both milestones share, the later one
comes from an earlier instruction, or from the same one. An iteration is the shortest run of turns that ends with an
update: a step of an optimizer or, where a program has none, a backward pass.
"""

from __future__ import annotations

import dis
import gc
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from types import CodeType, FrameType
from typing import Any

from autograd_lab.whose import is_users

BACKWARD, RECORDED, STEP = "backward", "recorded backward", "step"
INNER = 32
"""After so many inner passes in a row nothing seems to differentiate them: then they are passes like others."""
Place = tuple[tuple[int, CodeType, int], ...]
"""The frames of the program at a milestone, outermost first: which, of what code, at which instruction."""
Spot = tuple[tuple[int, int], ...]
"""The same in a run of other frames: codes and instructions."""


def place_of(frame: FrameType | None, outside: int = 0) -> Place:
    """Where the program is, below the frame with the id `outside`: who has called the program does not count."""
    found = []
    while frame is not None and id(frame) != outside:
        if _is_programs(frame.f_code):
            found.append((id(frame), frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(reversed(found))


_programs: dict[int, tuple[CodeType, bool]] = {}


def _is_programs(code: CodeType) -> bool:
    known = _programs.get(id(code))
    if known is None:
        known = _programs[id(code)] = code, is_users(code.co_filename)  # keeping `code` keeps its id its own
    return known[1]


def comes_round(before: Place, now: Place) -> bool:
    """Whether a loop has come round between two milestones.

    Where the program stands at the same instruction in a frame, but in another call below it, it has made that call
    anew: in a loop of its own, or in one of a library that calls it back.
    """
    shared = False
    for (frame, _, at), (later_frame, _, later) in zip(before, now, strict=False):
        if frame != later_frame:
            return shared
        if at != later:
            return later < at
        shared = True
    return True


def has_left(before: Place, now: Place) -> bool:
    """Whether the program stood in a loop, and stands in none of the loops any more that it was in."""
    in_loop = False
    for depth, (frame, code, at) in enumerate(before):
        loops = loops_around(code, at)
        in_loop = in_loop or bool(loops)
        if now[:depth] == before[:depth] and len(now) > depth and now[depth][0] == frame:
            later = now[depth][2]
            if any(start <= later <= end for start, end in loops):
                return False
    return in_loop


@lru_cache(maxsize=256)
def loops_around(code: CodeType, at: int) -> tuple[tuple[int, int], ...]:
    """Where the loops around an instruction begin and end, the outermost one first."""
    ends: dict[int, int] = {}
    for each in dis.get_instructions(code):
        if "BACKWARD" in each.opname and isinstance(each.argval, int) and each.argval <= at <= each.offset:
            ends[each.argval] = max(each.offset, ends.get(each.argval, 0))
    return tuple(sorted(ends.items()))


class Turns:
    """Counts the iterations of a program: so many have `begun`, in so many `turns`; does it have steps of optimizers?

    An iteration is over with its last update. Which update that is shows when the loop comes round, and is then known
    for the iterations after it.
    """

    def __init__(self, expects_steps: Callable[[], bool]) -> None:
        self._expects_steps = expects_steps
        self.begun = self.turns = 0
        self.has_steps = False
        self._inner = 0
        self._ends_with: Spot | None = None
        self._last: Place = ()
        self._update: Spot | None = None
        self._spots: set[Spot] = set()

    def kind_of(self, what: str) -> str:
        """What a milestone counts as: an inner pass as a pass, once there have been too many in a row."""
        self._inner = self._inner + 1 if what == RECORDED else 0
        return BACKWARD if self._inner > INNER else what

    def passed(self, what: str, place: Place) -> None:
        """Take down a milestone."""
        if not self.has_steps and (what == STEP or (not self._last and self._expects_steps())):
            self._begin_anew()  # what was taken for iterations were parts of the first
        left = bool(self._last) and has_left(self._last, place)
        came_round = not self._last or left or comes_round(self._last, place)
        self.turns += came_round
        if came_round and (self._update is not None or not self.begun):
            self._ends_with, self._update = None if left else self._update, None
            self.begun += 1
        if what == STEP or (what == BACKWARD and not self.has_steps):
            self._update = spot_of(place)
        self._last = place
        self._spots.add(spot_of(place[-1:]))

    def counted(self, users: FrameType) -> bool:
        """Whether a milestone in this frame is like those before; if it ends an iteration, that is counted."""
        spot = ((id(users.f_code), users.f_lasti),)
        if self._ends_with is not None and spot == self._ends_with[-1:]:
            self.turns += max(1, round(self.turns / self.begun))
            self.begun += 1
            return True
        return spot in self._spots

    def _begin_anew(self) -> None:
        self.has_steps, self._update, self._ends_with = True, None, None
        self.begun = min(self.begun, 1)

    @property
    def is_over(self) -> bool:
        """Whether the iteration that was begun last is over, as far as can be known."""
        return self._update is not None and self._ends_with in (None, self._update)

    @property
    def over(self) -> int:
        """How many iterations are over."""
        return self.begun if self.is_over else max(0, self.begun - 1)


def optimized(leaves: Iterable[Any]) -> list[Any]:
    """Those of these leaves for which there is an optimizer, whose steps will then be the updates."""
    there = {
        id(parameter)
        for each in gc.get_objects()
        if _is_optimizer(type(each))  # type: ignore[arg-type]  # a class can be hashed
        for group in getattr(each, "param_groups", ())
        for parameter in group["params"]
    }
    return [leaf for leaf in leaves if id(leaf) in there]


@cache
def _is_optimizer(kind: type) -> bool:
    return any(
        base.__name__ == "Optimizer" and base.__module__.startswith(("torch.optim", "autograd_lab.optim"))
        for base in kind.__mro__
    )


def spot_of(place: Place) -> Spot:
    """A place, whichever frames its code ran in."""
    return tuple((id(code), at) for _, code, at in place)
