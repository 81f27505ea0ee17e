"""Which iterations are to be shown."""

from __future__ import annotations

import sys
from dataclasses import dataclass

NEVER = sys.maxsize
ASKED = "a number from 1 on, first, last or all"


@dataclass(frozen=True, slots=True)
class Choice:
    """The last iteration, unless `number` is one, counted from 1; or each one that is a multiple of `every`.

    With `most`, the run as a whole, from its first line on, until so many events are told. With a `span`, all from one
    to another, until they have at least `room` events.
    """

    number: int | None = None
    every: int | None = None
    most: int | None = None
    span: tuple[int, int] | None = None
    room: int = NEVER

    def is_wanted(self, iteration: int) -> bool:
        """Whether an iteration is asked for by its number."""
        if self.span is not None:
            return self.span[0] <= iteration <= self.span[1]
        return iteration == self.number or (self.every is not None and iteration % self.every == 0)

    def due_after(self, iteration: int) -> int:
        """The next iteration that is asked for by its number; one that will never come, if there is none."""
        if self.span is not None:
            return max(iteration + 1, self.span[0]) if iteration < self.span[1] else NEVER
        if self.every is not None:
            return iteration + self.every - iteration % self.every
        return self.number if self.number is not None and self.number > iteration else NEVER

    @property
    def is_last(self) -> bool:
        """Whether it is the last iteration that is asked for, whatever its number."""
        return self.number is None and self.every is None and self.most is None and self.span is None


LAST = Choice()


def choice_of(asked: str | int | Choice) -> Choice | None:
    """What "last", "first", 7, "7" or "every 100" asks for; None for "all". Raises ValueError for anything else."""
    if isinstance(asked, Choice):
        return asked
    word, _, rest = str(asked).strip().partition(" ")
    if word in ("last", "first", "all") and not rest:
        return {"last": LAST, "first": Choice(number=1), "all": None}[word]
    number = rest if word == "every" else str(asked).strip()
    if not number.isdecimal() or int(number) < 1:
        raise ValueError(f"iterations should be {ASKED}, or 'every' and a number, not {asked!r}")
    return Choice(every=int(number)) if word == "every" else Choice(number=int(number))
