"""Updates that are larger than the weights they change: a learning rate that is far too large."""

from __future__ import annotations

import math
from collections.abc import Iterator

from autograd_lab.findings.case import Case, Update
from autograd_lab.findings.code import slower
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.training.made_in_text import place_of_rate
from autograd_lab.trace.amounts import change, flat, norm, size

KIND = "updates-larger-than-weights"
IN_A_ROW, RATIO = 3, 1.0
AT_ONCE, LEAP = 5.0, 10.0
"""A first update that is so many times as large as the weights, after which the loss is so many times what it was."""
GENTLE, TENTH = 0.05, 0.1
"""The share of itself that an update may well change of a weight; a learning rate is to be a tenth of it at most."""
TOO_LARGE, SMALL = 1e3, 0.1
"""So many times as large as at first is too large; what begins at zero is taken to begin at this size."""


def find(case: Case) -> Iterator[Finding]:
    """The first weight that several updates in a row replace rather than change, while the loss does not fall."""
    if not _rises(case):
        return
    for name in sorted(case.given, key=lambda each: case.tensors[each].step if each in case.tensors else 0):
        tensor = case.tensors.get(name)
        if tensor is None or len(tensor.facts.shape) < 2:
            continue
        ratios, before = [], tensor.facts.value
        for write in case.writes[tensor.facts.storage]:
            if write.update is not None:
                ratios.append((change(before, write.event.value) or 0.0, write.update))
            before = write.event.value
        if len(ratios) >= IN_A_ROW and all(ratio > RATIO for ratio, _ in ratios[-IN_A_ROW:]):
            yield _finding(case, name, *ratios[-1])
            return
        if ratios and ratios[0][0] > AT_ONCE and norm(tensor.facts.value) and _leaps(case, ratios[0][1]):
            yield _finding(case, name, *ratios[0])
            return


def overshot(case: Case, until: int) -> Update | None:
    """The first update before a step after which a weight is more than a thousand times as large as at first."""
    found: list[Update] = []
    for name in case.given & case.tensors.keys():
        tensor = case.tensors[name]
        first, before = None, tensor.facts.value
        for write in case.writes[tensor.facts.storage]:
            if write.update is not None and write.step < until:
                first = max(norm(before) or 0.0, math.sqrt(size(before)) * SMALL) if first is None else first
                now = norm(write.event.value)
                if now is not None and now > TOO_LARGE * first:
                    found.append(write.update)
                    break
            before = write.event.value
    return min(found, key=lambda each: each.step, default=None)


def gentle(case: Case, update: Update) -> str:
    """The optimizer with a learning rate with which this update would have changed weights by a small share alone."""
    ratio = max((ratio for ratio, _ in changes(case, update) if math.isfinite(ratio)), default=0.0)
    return slower(update.event.type, update.event.rates, min(GENTLE / ratio, TENTH) if ratio else TENTH)


def changes(case: Case, update: Update) -> Iterator[tuple[float, str]]:
    """By which share of itself an update changed each of its parameters."""
    for name in update.written:
        tensor = case.tensors.get(name)
        before = tensor.facts.value if tensor is not None else None
        for write in case.writes[tensor.facts.storage] if tensor is not None else ():
            if (
                write.update is update
                and before is not None
                and (share := change(before, write.event.value)) is not None
            ):
                yield share, name
            before = write.event.value


def _rises(case: Case) -> bool:
    """Whether the losses that passes began at grow from the first to the last."""
    losses = [loss for _, loss in _losses(case)]
    return len(losses) > 1 and losses[0] < losses[-1]


def _losses(case: Case) -> list[tuple[int, float]]:
    """What the passes began at, each with its step."""
    roots = [(p.step, case.call_of[root]) for p in case.passes for root in p.roots if root in case.call_of]
    scalars = [(step, root.outputs[0].value) for step, root in roots if not root.outputs[0].shape]
    return [(step, next(flat([value.numbers]), 0.0)) for step, value in scalars]


def _leaps(case: Case, update: Update) -> bool:
    """Whether the loss after an update is many times the loss before it."""
    before = [loss for step, loss in _losses(case) if step < update.step]
    after = [loss for step, loss in _losses(case) if step > update.step]
    return bool(before and after) and after[0] > LEAP * before[-1] > 0


def _finding(case: Case, name: str, ratio: float, update: Update) -> Finding:
    size = f"{ratio:,.1f} times the weights themselves" if math.isfinite(ratio) else "beyond all bounds"
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The updates of {case.name(name)} are larger than its weights ({size}), and the loss grows.",
        cause=(Place(words="this step overshoots", where=update.where), *place_of_rate(case, update)),
        remedy=f"Take a smaller learning rate: {gentle(case, update)}.",
        steps=(update.step,), parts=(name,),
    )  # fmt: skip
