"""Hooks: what those of a program made of gradients, in a few signs.

>>> done_by_hook(Value(numbers=[2.0, 4.0]), Value(numbers=[1.0, 2.0]))
'× 0.5'
>>> done_by_hook(Value(numbers=4.034288), Value(numbers=40.342876))
'× 10'
>>> done_by_hook(Value(numbers=81.6858), Value(numbers=5.0)), change_by_hook(Value(numbers=81.6858), Value(numbers=5.0))
('hook', '81.7 → 5')
>>> done_by_hook(Value(numbers=2.0), None)
'hook'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from autograd_lab.events import HookCalled, Value
from autograd_lab.view.kit.numeral import FEWER, numeral

HOOK, AFTER = "hook", "post_accumulate_grad"
TENSOR = "tensor"
NEAR = 1e-4
"""Ratios that differ by less are the same, as float32 goes: 40.342876 / 4.034288 is 9.9999995."""
DIGITS = 3
"""A factor or divisor of one number with more digits is none that anybody has written: something else was done."""


class HookCall(NamedTuple):
    """A call of a hook, and its step."""

    step: int
    event: HookCalled


def done_by_hook(before: Value | None, after: Value | None, near: float = NEAR) -> str:
    """What a hook did: `× 0.5`, if that is so for all of its numbers."""
    ratios = list(_ratios(before, after))
    if not ratios or not all(abs(ratio - ratios[0]) <= near * abs(ratios[0]) for ratio in ratios):
        return HOOK
    ratio = ratios[0]
    if len(ratios) == 1 and not any(_is_short(each, near) for each in (ratio, 1 / ratio if ratio else 0.0)):
        return HOOK
    ratio = float(f"{ratio:.{DIGITS + 1}g}")
    return f"× {numeral(ratio, FEWER).removesuffix('.0').replace('-', '−')}"


def _is_short(ratio: float, near: float) -> bool:
    return abs(float(f"{ratio:.{DIGITS}g}") - ratio) <= near * abs(ratio)


def change_by_hook(before: Value | None, after: Value | None) -> str:
    """What a hook made of one number: `81.7 → 5`; nothing of several, or where it is not known."""
    numbers = [None if value is None else value.numbers for value in (before, after)]
    if not all(isinstance(number, float | int) for number in numbers):
        return ""
    return " → ".join(numeral(number, FEWER).removesuffix(".0") for number in numbers)


def word_for(calls: Iterable[HookCall]) -> str:
    """What all calls of a node's hooks of one kind did, if that is the same; else that there is one."""
    words = {done_by_hook(call.event.before, call.event.after) for call in calls}
    return words.pop() if len(words) == 1 else HOOK


def _ratios(before: Value | None, after: Value | None) -> Iterator[float]:
    if before is None or after is None:
        return
    pairs = list(zip(flat(before.numbers), flat(after.numbers), strict=False))
    for one, other in pairs:
        if isinstance(one, bool) or not isinstance(one, int | float) or not isinstance(other, int | float):
            return
        if one:
            yield other / one if math.isfinite(one) and math.isfinite(other) else math.nan
        elif other:
            yield math.nan


def flat(numbers: object) -> Iterator[object]:
    """All numbers of a nested list."""
    if not isinstance(numbers, list):
        yield numbers
        return
    for each in numbers:
        yield from flat(each)
