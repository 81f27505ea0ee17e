"""What a trace did over and over: backward passes, optimizer steps, and gradients that were added to former ones."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autograd_lab.events import (
    BackwardFinished,
    BackwardStarted,
    ErrorRaised,
    Event,
    GradAccumulated,
    GradAssigned,
    OpApplied,
    OptimizerEntered,
    OptimizerLeft,
    TensorCreated,
    TensorModified,
    Value,
)
from autograd_lab.view.kit.figure import numbers_of
from autograd_lab.view.kit.numeral import numbers_in

MOST = 12
"""Of so many passes at most is it noted what each added to a `.grad`."""
TOLD = frozenset({
    TensorCreated, OpApplied, TensorModified, GradAssigned, GradAccumulated, BackwardStarted, BackwardFinished,
    ErrorRaised, OptimizerEntered, OptimizerLeft,
})  # fmt: skip
"""Kinds of events that tell of passes and updates, or of values."""


@dataclass(slots=True)
class Pass:
    """A backward pass: its first and last step, the tensors that it began at with their values, and whether it was
    recorded, too; `reached` has the tensors to whose `.grad` it added."""

    start: int
    roots: tuple[str, ...]
    values: tuple[Value | None, ...]
    recorded: bool
    end: float = math.inf
    reached: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Update:
    """What an optimizer's step did: `moved` has the tensors that it wrote to; `against` tells whether each of them as a
    whole is known to have moved against its gradient, `is_against`, whether each of its numbers has: with weight decay
    or momentum some may have not; `call` is how the program says it, as `opt.step()`, if that is plain."""

    start: int
    kind: str
    end: float = math.inf
    moved: dict[str, Value | None] = field(default_factory=dict)
    against: bool = False
    is_against: bool = False
    call: str = ""


@dataclass
class Passes:
    """The passes and updates of a trace in their order.

    `moves` has the tensors with a gradient that were written to, by step; at those `downhill` they are known to have
    moved against it. `heaps` has for each tensor, by steps, the gradients of different passes that make its `.grad`.
    """

    passes: list[Pass] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)
    moves: dict[int, str] = field(default_factory=dict)
    downhill: set[int] = field(default_factory=set)
    heaps: dict[str, list[tuple[int, tuple[Value, ...]]]] = field(default_factory=dict)

    def update_at(self, step: int) -> Update | None:
        """The optimizer's step within which a step is."""
        return next((each for each in reversed(self.updates) if each.start <= step <= each.end), None)

    def is_used(self, tensor: str, last: Update) -> bool:
        """Whether the latest gradient of a tensor has moved it, by this update at the latest.

        A step that is given a closure runs it first: then the pass is over before the step is, and not before it began.
        """
        end = max(
            (each.end for each in self.passes if tensor in each.reached and each.end < last.end), default=math.inf
        )
        return any(tensor in each.moved for each in self.updates if end < each.end and each.start <= last.start)

    def all_downhill(self, until: int) -> set[str]:
        """The tensors that were written to by a step, if each always moved against its gradient, as is known."""
        moves = {step: tensor for step, tensor in self.moves.items() if step <= until}
        updates = ((step, self.update_at(step)) for step in moves)
        known = all(step in self.downhill or (update is not None and update.against) for step, update in updates)
        return set(moves.values()) if known else set()

    def passes_until(self, step: int) -> list[Pass]:
        """The passes that are over by a step."""
        return [each for each in self.passes if each.end <= step]

    def moves_in(self, after: float, until: int) -> bool:
        """Whether weights have moved in some steps."""
        return any(after < step <= until for step in self.moves)

    def within(self, span: tuple[int, float]) -> list[Pass]:
        """The passes that begin within some steps."""
        return [each for each in self.passes if span[0] <= each.start <= span[1]]

    def heap(self, tensor: str, step: int) -> tuple[Value, ...]:
        """The gradients, each from another pass, that were added up in a tensor's `.grad` by a step."""
        return next((parts for since, parts in reversed(self.heaps.get(tensor, ())) if since <= step), ())

    @property
    def is_any_recorded(self) -> bool:
        """Whether any backward pass was itself recorded."""
        return any(each.recorded for each in self.passes)

    def is_second(self, born: int) -> bool:
        """Whether what came to be at a step was made by a backward pass that was itself recorded."""
        return any(each.recorded and each.start < born <= each.end for each in self.passes)


def passes_of(events: Iterable[Event]) -> Passes:
    """Walk a trace once."""
    walk = _Walk()
    for step, event in enumerate(events, 1):
        if type(event) in TOLD:
            walk.see(event, step)
    return walk.found


class _Walk:
    """Keeps in mind what tensors hold, while the events go by."""

    def __init__(self) -> None:
        self.found = Passes()
        self._values: dict[str, Value] = {}
        self._grads: dict[str, tuple[str | None, Value | None]] = {}
        self._owner: dict[str, str] = {}
        self._running: list[Pass] = []
        self._last: dict[str, Pass] = {}
        self._update: Update | None = None

    def see(self, event: Event, step: int) -> None:
        match event:
            case TensorCreated(tensor=facts):
                self._values[facts.id] = facts.value
            case OpApplied(outputs=outputs):
                for facts in outputs:
                    self._values[facts.id] = facts.value
            case TensorModified():
                self._write(event, step)
            case GradAssigned(tensor=tensor, grad=grad, value=value):
                self._set(tensor, grad, value, step, ())
            case GradAccumulated():
                self._accumulate(event, step)
            case BackwardStarted(tensors=roots, create_graph=recorded):
                self._running.append(Pass(step, roots, tuple(map(self._values.get, roots)), recorded))
                self.found.passes.append(self._running[-1])
            case BackwardFinished() if self._running:
                self._running.pop().end = step
            case ErrorRaised():
                self._running.clear()
            case OptimizerEntered(type=kind, where=where):
                calls = re.findall(r"\b[A-Za-z_]\w*\.step\(\)", where.text if where is not None else "")
                self._update = Update(step, kind, call=calls[0] if len(calls) == 1 else "")
                self.found.updates.append(self._update)
            case OptimizerLeft() if self._update is not None:
                self._update.end = step
                self._update.against, self._update.is_against = self._are_against(self._update)
                self._update = None

    def _write(self, event: TensorModified, step: int) -> None:
        owner = self._owner.get(event.tensor)
        if owner is not None and self._grads[owner][0] == event.tensor:
            self._set(owner, event.tensor, event.value, step, ())
        is_learnt = self._grads.get(event.tensor, (None, None))[1] is not None  # what an optimizer keeps is not
        if self._update is not None and is_learnt and event.tensor in self._values:
            self._update.moved.setdefault(event.tensor, self._values[event.tensor])
        before, self._values[event.tensor] = self._values.get(event.tensor), event.value
        if is_learnt and not self._running:
            self.found.moves[step] = event.tensor
            slope = self._slope(event.tensor, before) if self._update is None else None
            self.found.downhill |= {step} if slope is not None and slope < 0 else set()

    def _set(self, tensor: str, grad: str | None, value: Value | None, step: int, parts: tuple[Value, ...]) -> None:
        self._grads[tensor] = grad, value
        if grad is not None:
            self._owner[grad] = tensor
        if parts or tensor in self.found.heaps:
            self.found.heaps.setdefault(tensor, []).append((step, parts))

    def _accumulate(self, event: GradAccumulated, step: int) -> None:
        before = self.found.heap(event.tensor, step)
        here = self._running[-1] if self._running else None
        is_other = here is not None and self._last.get(event.tensor) is not here
        parts = (event.added,) if event.is_first else (*before, event.added) if before and is_other else ()
        self._set(event.tensor, event.grad, event.total, step, parts if len(parts) <= MOST else ())
        if here is not None:
            self._last[event.tensor] = here
            here.reached.add(event.tensor)

    def _are_against(self, update: Update) -> tuple[bool, bool]:
        """Whether each tensor has moved so that, by its gradient, what backward began at gets smaller; and each number:
        of others than SGD that is chance."""
        found = [self._ways(tensor, before) for tensor, before in update.moved.items() if tensor in self._grads]
        against = bool(found) and all(ways is not None and math.fsum(ways) < 0 for ways in found)
        return against, against and update.kind == "SGD" and all(way <= 0 for ways in found for way in ways or ())

    def _slope(self, tensor: str, before: Value | None) -> float | None:
        """The gradient times the way that was gone."""
        ways = self._ways(tensor, before)
        return None if ways is None else math.fsum(ways)

    def _ways(self, tensor: str, before: Value | None) -> list[float] | None:
        """The same, number by number; of large arrays as far as their samples tell."""
        held = [_sample(value) for value in (before, self._values.get(tensor), self._grads[tensor][1])]
        if any(each is None or len(each) != len(held[0] or ()) for each in held):
            return None
        return [g * (new - old) for old, new, g in zip(*(each or () for each in held), strict=True)]


def _sample(value: Value | None) -> Sequence[float] | None:
    known = numbers_of(value)
    if known is not None or value is None or value.thumbnail is None:
        return known
    flat = numbers_in(value.thumbnail)
    return flat if all(isinstance(number, int | float) for number in flat) else None
