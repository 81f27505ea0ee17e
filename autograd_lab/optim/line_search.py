"""How far to go in a direction: until the strong Wolfe conditions hold (Nocedal and Wright, algorithms 3.5 and 3.6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor

DECREASE = 1e-4
"""Of the decrease that the slope promises, so much has to come."""
CURVATURE = 0.9
"""Of the slope at the start, at most so much may be left."""


@dataclass(frozen=True)
class Point:
    """A place `t` along the direction: the loss there, the gradient, and the slope along the direction."""

    t: Any
    loss: Any
    gradient: Any
    slope: Any


@dataclass
class Search:
    """The search from `start` on; `at(t)` evaluates the loss, and at most `most` places are tried."""

    start: Point
    at: Callable[[Any], Point]
    longest: Any
    """The largest element of the direction."""
    most: int
    decrease: float = DECREASE
    curvature: float = CURVATURE
    shortest: float = 1e-9
    """How far the two ends are at least apart."""
    tried: int = 0

    def found(self, first: Any) -> Point:
        """The place to go to, beginning with `first`."""
        ends = self._bracket(first)
        return ends[0] if len(ends) == 1 else self._between(*ends)

    def _evaluated(self, t: Any) -> Point:
        self.tried += 1
        return self.at(t)

    def _too_high(self, point: Point) -> bool:
        return bool(point.loss > self.start.loss + self.decrease * point.t * self.start.slope)

    def _flat_enough(self, point: Point) -> bool:
        return bool(abs(point.slope) <= -self.curvature * self.start.slope)

    def _bracket(self, first: Any) -> tuple[Point, ...]:
        """A place that satisfies the conditions, or two with one between them."""
        before, point = self.start, self._evaluated(first)
        for turn in range(self.most):
            if self._too_high(point) or (turn > 1 and point.loss >= before.loss):
                return before, point
            if self._flat_enough(point):
                return (point,)
            if point.slope >= 0:
                return before, point
            bounds = point.t + 0.01 * (point.t - before.t), 10 * point.t
            before, point = point, self._evaluated(cubic(before, point, bounds))
        self.tried = self.most + 1
        return self.start, point

    def _between(self, one: Point, other: Point) -> Point:
        """Narrow the interval between two places until the lower one satisfies the conditions."""
        ends, stuck = [one, other], False
        low = 0 if one.loss <= other.loss else 1
        while self.tried <= self.most and abs(ends[1].t - ends[0].t) * self.longest >= self.shortest:
            t, stuck = self._aim(ends, stuck)
            point = self._evaluated(t)
            if self._too_high(point) or point.loss >= ends[low].loss:
                ends[1 - low] = point
                low = 0 if ends[0].loss <= ends[1].loss else 1
                continue
            done = self._flat_enough(point)
            if not done and point.slope * (ends[1 - low].t - ends[low].t) >= 0:
                ends[1 - low] = ends[low]
            ends[low] = point
            if done:
                break
        return ends[low]

    def _aim(self, ends: list[Point], stuck: bool) -> tuple[Any, bool]:
        """The next place to try, a tenth away from an end that it comes too near to; and whether it stays near."""
        t = cubic(ends[0], ends[1])
        lowest, highest = sorted((ends[0].t, ends[1].t))
        margin = 0.1 * (highest - lowest)
        if min(highest - t, t - lowest) >= margin:
            return t, False
        if not stuck and lowest < t < highest:
            return t, True
        return (highest - margin if abs(t - highest) < abs(t - lowest) else lowest + margin), False


def cubic(one: Point, other: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through both losses and slopes is lowest, held within bounds (Nocedal and Wright, 3.59)."""
    left, right = (one, other) if one.t <= other.t else (other, one)
    lowest, highest = bounds or (left.t, right.t)
    d = one.slope + other.slope - 3 * (one.loss - other.loss) / (one.t - other.t)
    square = d * d - one.slope * other.slope
    if not square >= 0:
        return (lowest + highest) / 2
    root = square.sqrt() if is_tensor(square) else np.sqrt(square)
    t = right.t - (right.t - left.t) * ((right.slope + root - d) / (right.slope - left.slope + 2 * root))
    return min(max(t, lowest), highest)
