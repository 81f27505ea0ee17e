"""The course of a run, as it is noted at its milestones: losses and the norms of gradients, of ever fewer iterations.

Up to `MOST` iterations are measured at an equal distance; when there are more, each second one is dropped and the
distance doubles. So a run of any length takes the same memory, and its measuring ever less of its time.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from autograd_lab.trace.course import Series

MOST = 200
PARAMETERS = 64
"""Gradients are measured of so many parameters at most."""

Number = Callable[[], float]
"""A number that may have to be fetched from where it was computed, which can wait."""


class Meter(Protocol):
    """Measures the tensors of one engine, unseen by its hooks and modes."""

    def is_tensor(self, thing: Any) -> bool: ...

    def number(self, tensor: Any) -> Number | None:
        """The number in a tensor of one element; None if there are more."""

    def norms(self, tensors: Sequence[Any]) -> Sequence[Number]:
        """The Euclidean norm of each tensor."""


class _Arrays:
    """Measures the tensors of this package."""

    def is_tensor(self, thing: Any) -> bool:
        return hasattr(thing, "_array")

    def number(self, tensor: Any) -> Number | None:
        array = tensor._array
        return constant(float(array.reshape(()))) if array.size == 1 and array.dtype.kind in "fiub" else None

    def norms(self, tensors: Sequence[Any]) -> Sequence[Number]:
        flat = [np.asarray(each._array, np.float64).reshape(-1) for each in tensors]
        return [constant(math.sqrt(each.dot(each))) for each in flat]


def constant(number: float) -> Number:
    """A number that is there."""
    return lambda: number


meters: list[Meter] = [_Arrays()]
"""Who measures tensors; a bridge to another engine adds its own."""


class Measures:
    """Numbers by the iteration that they were measured in."""

    def __init__(self) -> None:
        self._stride = 1
        self.shown: set[int] = set()
        """Iterations of which every number is kept."""
        self._points: dict[tuple[str, str], dict[int, Number]] = {}
        self._keys: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._names: dict[str, str] = {}

    def wants(self, iteration: int) -> bool:
        """Whether an iteration is one of those that are measured."""
        return iteration % self._stride == 0 or iteration == 1 or iteration in self.shown

    def due_after(self, iteration: int) -> int:
        """The next iteration that is measured."""
        return iteration + self._stride - iteration % self._stride

    def loss(self, iteration: int, name: str, root: Any) -> None:
        """Note the number that a backward pass began at; of a pass from anything else there is none."""
        meter = _meter_of(root)
        number = None if meter is None else meter.number(root)
        if number is not None:
            self._note("loss", name, iteration, number)

    def gradients(self, iteration: int, parameters: Iterable[Any]) -> None:
        """Note the norms of what is in the `.grad` of parameters."""
        found = [each for each in parameters if each.grad is not None][:PARAMETERS]
        meter = _meter_of(found[0]) if found else None
        if meter is not None:
            for parameter, norm in zip(found, meter.norms([each.grad for each in found]), strict=True):
                self._note("norm", self._key_of(parameter), iteration, norm)

    def held(self, iteration: int, nbytes: int) -> None:
        """Note the bytes that were held for backward at the most."""
        self._note("held", "saved for backward", iteration, constant(nbytes))

    def named(self, parameter: Any, name: str | None) -> None:
        """Call a parameter by a name from now on, if it has one."""
        if name is not None:
            self._names[self._key_of(parameter)] = name

    def _key_of(self, parameter: Any) -> str:
        """What tells parameters apart as long as they live."""
        known = self._keys.get(id(parameter))
        if known is None or known[0]() is not parameter:
            known = self._keys[id(parameter)] = weakref.ref(parameter), f"parameter {len(self._keys) + 1}"
        return known[1]

    def _note(self, kind: str, name: str, iteration: int, number: Number) -> None:
        points = self._points.setdefault((kind, name), {})
        points[iteration] = number
        if len(points) <= MOST:
            return
        if kind == "held":  # which is known of recorded iterations only, at any distance
            kept = [at for place, at in enumerate(points) if place % 2 == 0 or at in self.shown]
            self._points[kind, name] = {at: points[at] for at in kept}
            return
        self._stride *= 2
        for key, each in self._points.items():
            if key[0] != "held":
                self._points[key] = {at: of for at, of in each.items() if self.wants(at)}

    def series(self) -> tuple[Series, ...]:
        """All that was noted."""
        return tuple(
            Series(
                kind=kind,
                name=self._names.get(name, name),
                points=tuple((at, number()) for at, number in sorted(points.items())),
            )
            for (kind, name), points in self._points.items()
            if points
        )


def _meter_of(thing: Any) -> Meter | None:
    return next((meter for meter in meters if meter.is_tensor(thing)), None)
