"""How gradients flow: for each parameter, iteration by iteration, the size of its gradient and of its updates.

Of a run of which only some iterations were recorded its course tells; of one that was recorded as a whole, its events.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass

from autograd_lab import events as e
from autograd_lab.trace.amounts import change, norm, zeros
from autograd_lab.trace.course import Course, Points, Series, plain
from autograd_lab.trace.trace import Trace

MEASURES = ("norm", "zeros", "update")
"""What is known of a parameter: the Euclidean norm of its `.grad`; the share of zeros among its elements; by how much
of its own norm the weight changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A parameter, and by iterations what is known of it, as in `MEASURES`."""

    name: str
    norm: Points = ()
    zeros: Points = ()
    update: Points = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """The parameters in the order of the program; `seen` is how many iterations there were."""

    seen: int
    rows: tuple[Row, ...]
    losses: tuple[Series, ...] = ()

    @property
    def measured(self) -> tuple[int, ...]:
        """The iterations of which a gradient is known."""
        return tuple(sorted({at for row in self.rows for at, _ in row.norm}))

    def to_csv(self) -> str:
        """A table: a line for each parameter and iteration; what is not known is empty."""
        out = io.StringIO()
        table = csv.writer(out, lineterminator="\n")
        table.writerow(("iteration", "parameter", *MEASURES))
        for row in self.rows:
            found = [dict(getattr(row, kind)) for kind in MEASURES]
            for at in sorted({at for each in found for at in each}):
                table.writerow((at, row.name, *(each.get(at, "") for each in found)))
        return out.getvalue()

    def to_json(self) -> str:
        """The same as JSON, with the losses; what is not finite is "nan", "inf" or "-inf"."""
        rows = [{"name": row.name, **{kind: _pairs(getattr(row, kind)) for kind in MEASURES}} for row in self.rows]
        losses = [{"name": each.name, "points": _pairs(each.points)} for each in self.losses]
        return json.dumps({"iterations": self.seen, "losses": losses, "parameters": rows}, ensure_ascii=False, indent=1)


def flow_of(trace: Trace) -> Flow:
    """How gradients flowed in a run. There are no rows if no parameter got a gradient."""
    if trace.course is not None:
        return flow_of_course(trace.course)
    walk = _Walk(trace)
    return _of_series(walk.series(), walk.seen)


def flow_of_course(course: Course) -> Flow:
    """The same of a run of which the course is known."""
    return _of_series(course.series, course.seen)


def _of_series(series: Iterable[Series], seen: int) -> Flow:
    rows: dict[str, dict[str, Points]] = {}
    losses = []
    for each in series:
        if each.kind in MEASURES:
            rows.setdefault(each.name, {})[each.kind] = each.points
        elif each.kind == "loss":
            losses.append(each)
    return Flow(seen=seen, rows=tuple(Row(name=name, **found) for name, found in rows.items()), losses=tuple(losses))


def _pairs(points: Points) -> list[list[float | str]]:
    return [[at, plain(number)] for at, number in points]


class _Walk:
    """What the events of a whole run tell. An iteration ends with the step of an optimizer; without one, with a pass.

    Of several optimizers each counts its own steps.
    """

    def __init__(self, trace: Iterable[e.Event]) -> None:
        self.seen = 0
        self._points: dict[tuple[str, str], dict[int, float]] = {}
        self._noted: dict[tuple[str, str, int], str] = {}
        """Which tensor a point is of, by kind, name and iteration: a name may go from one to another, or be of two."""
        self._names: dict[str, str] = {}
        self._values: dict[str, e.Value] = {}
        self._storages: dict[str, str] = {}
        self._sharing: dict[str, list[str]] = {}
        self._grads: dict[str, e.Value] = {}
        self._leaf_of: dict[str, str] = {}
        self._before: dict[str, e.Value] = {}
        self._updated: list[str] = []
        """What had a gradient when it was measured last, and is updated next."""
        self._steps: dict[tuple[str, ...], int] = {}
        events = tuple(trace)
        self._has_steps = any(isinstance(event, e.OptimizerEntered) for event in events)
        self._depth = self._at = 0
        for event in events:
            self._see(event)
        if not self._has_steps:
            self._changed(self.seen)

    def series(self) -> tuple[Series, ...]:
        return tuple(
            Series(kind=kind, name=name, points=tuple(points.items())) for (kind, name), points in self._points.items()
        )

    def _see(self, event: e.Event) -> None:
        match event:
            case e.TensorCreated(tensor=facts):
                self._meet(facts)
            case e.OpApplied(outputs=outputs) | e.NodeMet(outputs=outputs):
                for facts in outputs:
                    self._meet(facts)
            case e.GradAccumulated(tensor=tensor, grad=grad, total=total):
                self._leaf_of[grad] = tensor
                self._grads[tensor] = total
            case e.GradAssigned(tensor=tensor, grad=grad, value=value):
                if grad is None or value is None:
                    self._grads.pop(tensor, None)
                else:
                    self._leaf_of[grad] = tensor
                    self._grads[tensor] = value
            case e.TensorModified(tensor=tensor, value=value):
                for shared in self._sharing.get(self._storages.get(tensor, ""), ()):
                    self._values.pop(shared, None)  # what views of the same memory hold now is not told
                self._values[tensor] = value
                if tensor in self._leaf_of:
                    self._grads[self._leaf_of[tensor]] = value
            case _:
                self._turn(event)

    def _meet(self, facts: e.TensorFacts) -> None:
        self._values[facts.id] = facts.value
        if facts.id not in self._storages:
            self._storages[facts.id] = facts.storage
            self._sharing.setdefault(facts.storage, []).append(facts.id)
        self._names.setdefault(facts.id, facts.name or facts.expression or f"a tensor of shape {list(facts.shape)}")

    def _turn(self, event: e.Event) -> None:
        match event:
            case e.BackwardStarted(tensors=tensors):
                self._depth += 1
                if self._depth == 1:
                    self._begin(tensors)
            case e.BackwardFinished():
                self._depth -= 1
                if not self._has_steps and not self._depth:
                    self.seen += 1
                    self._measure(self.seen, self._grads)
                    self._before = dict(self._values)
            case e.ErrorRaised():
                self._depth = 0
            case e.OptimizerEntered(parameters=given):
                self._before = dict(self._values)
                self._at = self._steps[given] = self._steps.get(given, 0) + 1
                self.seen = max(self.seen, self._at)
                self._measure(self._at, given or self._grads)
            case e.OptimizerLeft():
                self._changed(self._at)

    def _begin(self, roots: Iterable[str]) -> None:
        """A pass begins; where nothing but the program updates, what it changed belongs to the iteration before."""
        if not self._has_steps and self.seen:
            self._changed(self.seen)
        for root in roots:
            value = self._values.get(root)
            if value is not None and isinstance(value.numbers, int | float):
                self._note("loss", root, self.seen + 1, float(value.numbers))

    def _measure(self, at: int, parameters: Iterable[str]) -> None:
        self._updated = [name for name in parameters if name in self._grads]
        for name in self._updated:
            self._note("norm", name, at, norm(self._grads[name]))
            self._note("zeros", name, at, zeros(self._grads[name]))

    def _changed(self, at: int) -> None:
        for name in self._updated:
            before, after = self._before.get(name), self._values.get(name)
            if before is not None and after is not None:
                self._note("update", name, at, change(before, after))

    def _note(self, kind: str, tensor: str, at: int, number: float | None) -> None:
        """Of several passes for one step the last one counts, which knows all of the gradient."""
        if number is None:
            return
        name = self._names.get(tensor, tensor)
        if kind != "loss" and self._noted.setdefault((kind, name, at), tensor) != tensor:
            name = f"{name} ({tensor})"
        self._points.setdefault((kind, name), {})[at] = number
