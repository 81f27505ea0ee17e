"""The course of a run, as it is noted at its milestones: losses and the norms of gradients, of ever fewer iterations.

Up to `MOST` iterations are measured at an equal distance; when there are more, each second one is dropped and the
distance doubles. So a run of any length takes the same memory, and its measuring ever less of its time.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

from autograd_lab.recording.iterations.meters import Number, constant, meter_of
from autograd_lab.trace.course import Series

MOST = 200
PARAMETERS = 64
"""Gradients are measured of so many parameters at most."""


class Measures:
    """Numbers by the iteration that they were measured in."""

    def __init__(self) -> None:
        self._stride = 1
        self.shown: set[int] = set()
        """Iterations of which every number is kept."""
        self._points: dict[tuple[str, str], dict[int, Number]] = {}
        self._keys: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._names: dict[str, str] = {}
        self._copies: dict[str, tuple[int, Any]] = {}
        """What a parameter held before it was updated, with the iteration."""

    def wants(self, iteration: int) -> bool:
        """Whether an iteration is one of those that are measured."""
        return iteration % self._stride == 0 or iteration == 1 or iteration in self.shown

    def due_after(self, iteration: int) -> int:
        """The next iteration that is measured."""
        return iteration + self._stride - iteration % self._stride

    def loss(self, iteration: int, name: str, root: Any) -> None:
        """Note the number that a backward pass began at; of a pass from anything else there is none."""
        meter = meter_of(root)
        number = None if meter is None else meter.number(root)
        if number is not None:
            self._note("loss", name, iteration, number)

    def before_step(self, iteration: int, first: Iterable[Any] = ()) -> None:
        """Look at the parameters that were updated before, and may soon be again, and at those that will be `first`."""
        for parameter in first:
            self._key_of(parameter)
        keys = {key: parameter for ref, key in self._keys.values() if (parameter := ref()) is not None}
        missing = [key for key in keys if self._copies.get(key, (0, None))[0] != iteration]
        meter = meter_of(keys[missing[0]]) if missing else None
        if meter is not None:
            copies = zip(missing, meter.copies([keys[key] for key in missing]), strict=True)
            self._copies |= {key: (iteration, copy) for key, copy in copies if copy is not None}

    def gradients(self, iteration: int, parameters: Iterable[Any]) -> None:
        """Note the norms of what is in the `.grad` of parameters, its zeros, and by how much they were updated."""
        found = {self._key_of(each): each for each in parameters if each.grad is not None}
        found = dict(list(found.items())[:PARAMETERS])
        meter = meter_of(next(iter(found.values()))) if found else None
        if meter is None:
            return
        grads = [each.grad for each in found.values()]
        for key, norm, zeros in zip(found, meter.norms(grads), meter.zeros(grads), strict=True):
            self._note("norm", key, iteration, norm)
            self._note("zeros", key, iteration, zeros)
        copies = {key: copy for key in found if (copy := self._copies.pop(key, (0, None)))[0] == iteration}
        changes = meter.changes([found[key] for key in copies], [copy for _, copy in copies.values()])
        for key, change in zip(copies, changes, strict=True):
            self._note("update", key, iteration, change)

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
