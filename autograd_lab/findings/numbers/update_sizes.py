"""Updates that are larger than the weights they change: a learning rate that is far too large."""

from __future__ import annotations

import math
from collections.abc import Iterator

from autograd_lab.findings.case import Case, Update
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.trace.amounts import change, norm, size

KIND = "updates-larger-than-weights"
IN_A_ROW, RATIO = 3, 1.0
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


def _rises(case: Case) -> bool:
    """Whether the losses that passes began at grow from the first to the last."""
    roots = [case.call_of[root] for each in case.passes for root in each.roots if root in case.call_of]
    losses = [norm(root.outputs[0].value) for root in roots if not root.outputs[0].shape]
    return len(losses) > 1 and (losses[0] or 0) < (losses[-1] or 0)


def _finding(case: Case, name: str, ratio: float, update: Update) -> Finding:
    size = f"{ratio:,.1f} times the weights themselves" if math.isfinite(ratio) else "beyond all bounds"
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The updates of {case.name(name)} are larger than its weights ({size}), and the loss grows.",
        cause=(Place(words="this step overshoots", where=update.where),),
        remedy=f"Take a smaller learning rate, a tenth of it or less: `{update.event.type}(..., lr=...)`.",
        steps=(update.step,), parts=(name,),
    )  # fmt: skip
