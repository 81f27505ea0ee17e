"""Gradients by finite differences: the witness that knows no graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograd_lab.lessons.worded import worded

STEP = 1e-3
CLOSE = 1e-2
"""How far a gradient in float32 may be from a difference of values in float32, relative to its size or to 1."""


def difference_quotients(function: Callable[..., Any], inputs: Sequence[float]) -> list[float]:
    """For each input how fast the function grows with it: `(f(x + h) - f(x - h)) / 2h`.

    The function takes as many floats and gives a number, or a tensor of one.

    >>> [round(each, 6) for each in difference_quotients(lambda a, b: a * b + b, [2.0, 3.0])]
    [3.0, 3.0]
    """

    def at(number: int, by: float) -> float:
        moved = [value + by * (each == number) for each, value in enumerate(inputs)]
        return float(function(*moved))

    return [(at(number, STEP) - at(number, -STEP)) / (2 * STEP) for number in range(len(inputs))]


def disagreement(found: Sequence[float], function: Callable[..., Any], inputs: Sequence[float]) -> str:
    """Which gradient does not agree with finite differences of the function; nothing if all do."""
    for number, (mine, quotient) in enumerate(zip(found, difference_quotients(function, inputs), strict=True), 1):
        if not abs(float(mine) - quotient) <= CLOSE * max(1.0, abs(quotient)):  # so that nan disagrees, too
            says = "The gradient for input {number} does not agree with finite differences of the function."
            return worded(says, number=number)
    return ""
