"""Steps that change nothing, though there are gradients: a learning rate of 0, or one that rounding swallows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from autograd_lab.findings.case import Case, Update
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import NOTE, WARNING, Finding, Place
from autograd_lab.findings.training.made_in_text import made_by, name_of
from autograd_lab.trace.amounts import finite, is_zero, norm, size

KIND = "step-changes-nothing"
STEPS = 2
"""Of so many steps with gradients none has to change anything: a schedule may begin at 0."""

FAINT = 1e-3
"""A gradient that is weaker than this share of the largest has another trouble: it vanishes, or is rounding alone."""


def find(case: Case) -> Iterator[Finding]:
    """Of each optimizer the parameters that none of its steps has changed, though they had gradients."""
    by_optimizer: dict[tuple[str, ...], list[Update]] = {}
    for update in case.updates:
        if update.end is not None:
            by_optimizer.setdefault(update.event.parameters, []).append(update)
    for given, updates in by_optimizer.items():
        waiting = [name for name in given if len(_in_vain(case, name, updates)) >= STEPS]
        sizes = {name: _size(case, name) for name in waiting}
        seen = [name for name in waiting if sizes[name] > FAINT * max(sizes.values())]
        still = [name for name in seen if not _is_changed(case, name)]
        if still:
            yield _finding(case, updates, still, is_all=still == seen)


def _in_vain(case: Case, name: str, updates: list[Update]) -> list[Update]:
    """The steps that had a gradient for a parameter that is not 0."""
    return [update for update in updates if name in update.written and _has_gradient(case, name, update.step)]


def _has_gradient(case: Case, name: str, step: int) -> bool:
    last = next((change for change in reversed(case.grads.get(name, ())) if change.step < step), None)
    return last is not None and last.value is not None and finite(last.value) and not is_zero(last.value)


def _size(case: Case, name: str) -> float:
    """The typical size of a number in the last gradient of a parameter."""
    value = next((change.value for change in reversed(case.grads[name]) if change.value is not None), None)
    return (norm(value) or 0.0) / math.sqrt(size(value) or 1) if value is not None else 0.0


def _is_changed(case: Case, name: str) -> bool:
    tensor = case.tensors.get(name)
    return tensor is None or bool(case.writes[tensor.facts.storage])


def _finding(case: Case, updates: list[Update], still: list[str], is_all: bool) -> Finding:
    rates = {rate for update in updates for rate in update.event.rates}
    last, name = updates[-1], name_of(updates[-1].where)
    of_zero = f"the learning rate {'of a group ' * (rates != {0})}is 0"
    why = of_zero if 0 in rates else "the change is too small for the precision of the numbers"
    usual = 0.001 if "Ada" in last.event.type else 0.01
    made = made_by(case, last)
    lr = ", ".join(f"{rate:g}" for rate in sorted(rates)) or "lr"
    return Finding(
        kind=KIND, severity=NOTE if 0 in rates and not is_all else WARNING,
        sentence=f"{name}.step() changes nothing in {together(map(case.name, still))}: {why}.",
        cause=(
            *([Place(words=f"{name} is made here", where=made.where)] if made is not None else []),
            Place(words=f"this step had gradients, and lr = {lr}", where=last.where),
        ),
        remedy=f"Take a larger learning rate: `{last.event.type}(..., lr={usual})`.",
        steps=(last.step,), parts=tuple(still),
    )  # fmt: skip
