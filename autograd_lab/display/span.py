"""The values that a number may take while one drags it: round ones between two bounds, and always the program's own."""

from __future__ import annotations

import math
from ast import literal_eval
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from autograd_lab.display.target import Misuse

STEPS = 40
"""Into so many steps a span is divided at most, unless a step is asked for."""
ROUND = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
"""Steps are these, times a power of ten."""
MOST = 400
"""More values than this nobody can tell apart by dragging."""


@dataclass(frozen=True, slots=True)
class Span:
    """Which values are wanted: between two bounds, in steps; what is None is to be found."""

    least: Decimal | None = None
    most: Decimal | None = None
    step: Decimal | None = None

    def values(self, name: str, home: str, steps: int = STEPS) -> tuple[str, ...]:
        """The values as one writes them, from the least to the most, in so many `steps` unless one is asked for; `home`
        is the program's own, as it is written there.

        Raises Misuse if that does not lie between the bounds, or the values are too many.
        """
        own = Decimal(repr(literal_eval(home)))
        least, most = self._bounds(own)
        if not least <= own <= most:
            raise Misuse(
                f"{name} is {home} in the program, not between {least} and {most}; take a range that has it inside"
            )
        whole = _is_whole(own) and all(each is None or _is_whole(each) for each in (self.least, self.most, self.step))
        step = self.step or _round_step(max((most - least) / steps, Decimal(whole)), whole)
        if (most - least) / step > MOST:
            count = f"{(most - least) / step:,.0f}"
            raise Misuse(f"{name} would have {count} values; take a step of at least {(most - least) / MOST:g}")
        found = _from(least, most, step) if self.step else _multiples(least, most, step)
        written = {value: str(int(value)) if whole else repr(float(value)) for value in sorted(found | {own})}
        return tuple((written | {own: home}).values())

    def _bounds(self, own: Decimal) -> tuple[Decimal, Decimal]:
        """As far from the program's own value as twice what that is, so that it changes its sign."""
        if self.least is not None and self.most is not None:
            return self.least, self.most
        far = 2 * abs(own) or Decimal(2)
        return own - far, own + far


def span_of(name: str, text: str) -> Span:
    """What `-3:3` and `-3:3:0.5` mean. Raises Misuse for what means nothing."""
    try:
        least, most, *step = (Decimal(part) for part in text.split(":"))
    except (InvalidOperation, ValueError):
        raise Misuse(_how(name, text)) from None
    sides = (least, most, *step)
    if (
        len(sides) > 3
        or not all(each.is_finite() for each in sides)
        or least >= most
        or not all(each > 0 for each in step)
    ):
        raise Misuse(_how(name, text))
    return Span(*sides)


def _how(name: str, text: str) -> str:
    return f"a range is least:most or least:most:step, such as {name}=-3:3 or {name}=-3:3:0.5, not {text!r}"


def _is_whole(number: Decimal) -> bool:
    """Whether a number is written without a point."""
    return number.as_tuple().exponent == 0


def _round_step(least: Decimal, whole: bool) -> Decimal:
    """The smallest round number that is no smaller; for whole numbers it is whole."""
    power = Decimal(10) ** math.floor(least.log10())
    return next(step for step in (each * power * ten for ten in (1, 10) for each in ROUND)
                if step >= least and (step == int(step) or not whole))  # fmt: skip


def _from(least: Decimal, most: Decimal, step: Decimal) -> set[Decimal]:
    """From the least in steps as far as there are."""
    return {least + step * k for k in range(int((most - least) / step) + 1)}


def _multiples(least: Decimal, most: Decimal, step: Decimal) -> set[Decimal]:
    """The bounds, and what is a multiple of the step between them."""
    first = math.ceil(least / step)
    return {least, most} | {step * k for k in range(first, math.floor(most / step) + 1)}
