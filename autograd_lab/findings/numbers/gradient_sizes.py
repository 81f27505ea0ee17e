"""Gradients that vanish on the way back to the first layers, and gradients that explode over the passes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from autograd_lab.findings.case import Case, Pass, between
from autograd_lab.findings.code import clipped
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.numbers.saturating import saturating
from autograd_lab.findings.numbers.update_sizes import GENTLE, changes, gentle
from autograd_lab.findings.training.made_in_text import place_of_rate
from autograd_lab.trace.amounts import flat, norm, size

VANISHING, EXPLODING = "vanishing-gradients", "exploding-gradients"
LAYERS, FAINT = 4, 1e-6
"""Of at least so many weights, the gradient of the first is weaker than this share of the last one's."""
PASSES, GROWTH, LARGE = 3, 1e3, 1e3
"""Over at least so many passes gradients grow by this factor at least, to more than this."""


def find(case: Case) -> Iterator[Finding]:
    """Of weights that an optimizer updates, in the order in which the program uses them."""
    weights = sorted(
        (n for n in case.given if n in case.tensors and len(case.tensors[n].facts.shape) > 1 and case.tensors[n].uses),
        key=lambda name: case.tensors[name].uses[0],
    )
    sizes = [(each, _sizes(case, each, weights)) for each in case.passes if each.end is not None]
    sizes = [(each, found) for each, found in sizes if len(found) > 0]
    faint = [each for each, found in sizes if _is_faint(found, weights)]
    if faint and len(faint) == len(sizes):
        yield _vanishing(case, faint[0], weights)
    totals = [(each, total) for each, found in sizes if math.isfinite(total := math.hypot(*found.values()))]
    if len(totals) >= PASSES and totals[-1][1] > max(LARGE, GROWTH * totals[0][1]) and totals[0][1]:
        yield _exploding(case, *totals[-1], totals[0][1])


def _sizes(case: Case, each: Pass, weights: list[str]) -> dict[str, float]:
    """The typical size of a number in what a pass brought to each weight, as far as that is a float."""
    found = {}
    for name in weights:
        values = [change.value for change in between(case.grads[name], each.step, each.end or 0) if change.value]
        length = norm(values[-1]) if values and size(values[-1]) else None
        if length is not None and math.isfinite(length):
            found[name] = length / math.sqrt(size(values[-1]))
    return found


def _is_faint(sizes: dict[str, float], weights: list[str]) -> bool:
    come = [sizes[name] for name in weights if name in sizes]
    return len(come) >= LAYERS and 0 < come[0] < FAINT * come[-1]


def _vanishing(case: Case, each: Pass, weights: list[str]) -> Finding:
    sizes = _sizes(case, each, weights)
    first, *_, last = (name for name in weights if name in sizes)
    much = times(sizes[last], sizes[first])
    places, remedy = saturating(case, each)
    return Finding(
        kind=VANISHING, severity=WARNING,
        sentence=f"Gradients vanish: that of {case.name(first)} is {much} smaller than that of {case.name(last)}.",
        cause=(*places, Place(words="the first layers hardly learn from this pass", where=each.event.where)),
        remedy=remedy or "Use skip connections, `x + layer(x)`, or norms between layers: `nn.LayerNorm(...)`.",
        steps=(each.step, each.end or each.step), parts=(first, last),
    )  # fmt: skip


def times(more: float, less: float) -> str:
    """How many times one size is another, also where that is beyond all floats.

    >>> times(2345.6, 1.0), times(5.6e300, 1e-20)
    ('2,346 times', 'about 10^321 times')
    """
    digits = math.log10(more) - math.log10(less)
    return f"{more / less:,.0f} times" if digits < 6 else f"about 10^{round(digits)} times"


def _step_before(case: Case, each: Pass) -> list[Place]:
    """The update before a pass, and where its learning rate is given."""
    before = next((update for update in reversed(case.updates) if update.step < each.step), None)
    if before is None:
        return []
    return [Place(words="after this step", where=before.where), *place_of_rate(case, before)]


def _slower(case: Case, each: Pass) -> str:
    """What to do about steps: to clip helps only where they are small but for those of a few large gradients."""
    before = next((update for update in reversed(case.updates) if update.step < each.step), case.updates[-1])
    remedy = f"ake a smaller learning rate: {gentle(case, before)}"
    if max((share for share, _ in changes(case, before)), default=GENTLE) < GENTLE:
        return f"Clip after backward(): `{clipped(map(case.name, before.event.parameters))}`; or t{remedy}."
    return f"T{remedy}."


def _exploding(case: Case, each: Pass, now: float, before: float) -> Finding:
    root = case.call_of.get(each.roots[0]) if each.roots else None
    loss = next(flat([root.outputs[0].value.numbers]), 0.0) if root is not None else 0.0
    remedy = f"The loss falls without end, to {loss:,.0f}: look at its sign."
    return Finding(
        kind=EXPLODING, severity=WARNING,
        sentence=f"Gradients explode: they are {times(now, before)} as large as in the first pass.",
        cause=(Place(words="this pass brings them", where=each.event.where), *_step_before(case, each)),
        remedy=remedy if loss < -LARGE else _slower(case, each),
        steps=(each.step, each.end or each.step), parts=each.roots,
    )  # fmt: skip
