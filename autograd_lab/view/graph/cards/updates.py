"""The update that closes an iteration: an optimizer's step, or what the program writes to its weights by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from autograd_lab import events as e
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.hooking import done_by_hook, flat


@dataclass(slots=True)
class Change:
    """What an update did to a leaf: its value before and after, its gradient, and the step at which it was done."""

    before: e.Value
    after: e.Value
    grad: e.Value | None
    step: int = 0

    @property
    def differences(self) -> list[float]:
        """How much each number has become larger, if all are known."""
        return _differences(self.before, self.after)

    @property
    def moved(self) -> float | None:
        """The norm of the difference; None where not all numbers are known."""
        numbers = self.differences
        return math.sqrt(sum(number * number for number in numbers)) if numbers else None

    @property
    def rate(self) -> str:
        """How many times the gradient was subtracted, if that is one number for all."""
        numbers = _differences(self.after, self.before)
        if self.grad is None or not numbers:
            return ""
        word = done_by_hook(e.Value(numbers=list(flat(self.grad.numbers))), e.Value(numbers=numbers), near=1e-2)
        return word.removeprefix("× ") if word.startswith("× ") and "−" not in word else ""


@dataclass(slots=True)
class Update:
    """An update: the step at which it begins, its line, the class of the optimizer if one did it, what it changed."""

    begins: int
    line: str
    type: str = ""
    changes: dict[str, Change] = field(default_factory=dict)
    lines: frozenset[str] = frozenset()
    """All lines that had a part in it."""

    @property
    def code(self) -> str:
        """Its line; of several, the first, and that there are more."""
        return self.line + " …" * (len(self.lines) > 1)

    @property
    def rule(self) -> str:
        """`W ← W − 0.1 · W.grad`, if an optimizer did that; else its name. What is done by hand says it itself."""
        if not self.type:
            return ""
        rates = {change.rate for change in self.changes.values() if any(flat_nonzero(change.grad))}
        if len(rates) == 1 and (rate := rates.pop()):
            return f"W ← W − {rate} · W.grad"
        return self.type


def update_in(history: History, events: Sequence[e.Event], span: tuple[int, int]) -> Update | None:
    """The last update within these steps that comes after a backward pass."""
    values: dict[str, e.Value] = {}
    grads: dict[str, e.Value | None] = {}
    found: Update | None = None
    optimizer, entered, passes, done = "", 0, 0, False
    for step, event in enumerate(events[: span[1]], 1):
        match event:
            case e.TensorCreated(tensor=facts):
                values[facts.id] = facts.value
            case e.BackwardStarted():
                passes, found = passes + 1, None
            case e.BackwardFinished():
                passes, done = max(0, passes - 1), step >= span[0]
            case e.GradAccumulated(tensor=tensor, total=total):
                grads[tensor] = total
            case e.GradAssigned(tensor=tensor, value=value):
                grads[tensor] = value
            case e.OptimizerEntered(type=kind):
                optimizer, entered, found = kind, step, None
            case e.OptimizerLeft():
                optimizer = ""
            case e.TensorModified(tensor=tensor, value=value):
                if done and not passes and tensor in values and _is_learnt(history, tensor):
                    found = found or Update(entered if optimizer else step, _line(event), optimizer)
                    found.lines |= {_line(event)}
                    before = found.changes[tensor].before if tensor in found.changes else values[tensor]
                    found.changes[tensor] = Change(before, value, grads.get(tensor), step)
                values[tensor] = value
    return found


def _is_learnt(history: History, tensor: str) -> bool:
    lives = history.lives.get(tensor, [])
    return (
        bool(lives) and history.boxes[lives[0]].is_leaf and any(f.requires_grad for f in history.boxes[lives[0]].forms)
    )


def _line(event: e.Event) -> str:
    """The statement that did it; of several on a line that one."""
    where = event.where
    if where is None:
        return ""
    first, last = where.columns or (0, len(where.text))
    end = where.text.find(";", last)
    return where.text[where.text.rfind(";", 0, first) + 1 : end if end >= 0 else None].strip()


def flat_nonzero(value: e.Value | None) -> Iterator[bool]:
    """Whether each number is not 0."""
    return (bool(number) for number in flat(value.numbers)) if value is not None else iter(())


def _differences(one: e.Value, other: e.Value) -> list[float]:
    """How much each number has become larger, if all are known."""
    pairs = list(zip(_floats(flat(one.numbers)), _floats(flat(other.numbers)), strict=False))
    return (
        [b - a for a, b in pairs if a is not None and b is not None] if all(None not in pair for pair in pairs) else []
    )


def _floats(numbers: Iterable[object]) -> Iterator[float | None]:
    for number in numbers:
        yield float(number) if isinstance(number, int | float) and not isinstance(number, bool) else None
