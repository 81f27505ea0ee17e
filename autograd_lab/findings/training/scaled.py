"""Gradients that are clipped or used while they are as large as a GradScaler made them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case, Pass, between
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.losses.handed_over import op
from autograd_lab.findings.training.made_in_text import name_of

KIND = "gradients-scaled"
SCALE = re.compile(r"([\w.]+)\.scale\(")
CLIP = re.compile(r"\bclip_grad")


def find(case: Case) -> Iterator[Finding]:
    """The first pass from what a scaler made larger whose gradients are clipped, or used, before they are divided."""
    for each in case.passes:
        made = next((case.call_of[root] for root in each.roots if root in case.call_of), None)
        if made is None or made.where is None or op(made) != "mul" or not (scaler := SCALE.search(made.where.text)):
            continue
        found = _of_clip(case, each, made, scaler[1]) or _of_step(case, each, made, scaler[1])
        if found is not None:
            yield found
            return


def _of_clip(case: Case, each: Pass, made: Call, scaler: str) -> Finding | None:
    for name in sorted(each.received):
        first = next(iter(between(case.grads[name], each.end or each.step, case.steps + 1)), None)
        if first is not None and first.how == "changed" and first.where is not None and CLIP.search(first.where.text):
            update = next((u for u in case.updates if u.step > first.step), None)
            by = name_of(update.where if update is not None else None)
            return Finding(
                kind=KIND, severity=WARNING,
                sentence=f"Gradients are clipped while they are scaled: the limit is {_factor(case, made)} too low.",
                cause=(
                    Place(words="clipped here", where=first.where),
                    Place(words="they come here, larger than they are", where=each.event.where),
                ),
                remedy=f"Have them divided before they are clipped: `{scaler}.unscale_({by})`.",
                steps=(first.step, each.step), parts=(name,),
            )  # fmt: skip
    return None


def _of_step(case: Case, each: Pass, made: Call, scaler: str) -> Finding | None:
    later = (u for u in case.updates if u.step > each.step)
    update = next((u for u in later if not each.received.isdisjoint(u.event.parameters)), None)
    if update is None:
        return None
    used = sorted(each.received & set(update.event.parameters))
    changes = (change for name in used for change in between(case.grads[name], each.end or each.step, update.step))
    if any(change.how in ("changed", "set") for change in changes):
        return None  # by the scaler, or by the program
    by = name_of(update.where)
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{by}.step() uses gradients that are still scaled: they are {_factor(case, made)} too large.",
        cause=(
            Place(words="used here as they are", where=update.where),
            Place(words="they come here, larger than they are", where=each.event.where),
        ),
        remedy=f"Step by the scaler, which divides them first: `{scaler}.step({by})`, then `{scaler}.update()`.",
        steps=(update.step, each.step), parts=tuple(used),
    )  # fmt: skip


def _factor(case: Case, made: Call) -> str:
    """How many times a scaler makes a loss larger, in words."""
    scale = case.tensors.get(made.operands[-1]) if len(made.operands) > 1 else None
    number = None if scale is None else scale.facts.value.numbers
    return f"{number:,.0f} times" if isinstance(number, float | int) else "many times"
