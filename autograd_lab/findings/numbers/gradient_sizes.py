"""Gradients that vanish on the way back to the first layers, and gradients that explode over the passes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from autograd_lab.findings.case import Case, Pass, between
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.numbers.update_sizes import gentle
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
    totals = [(each, math.hypot(*found.values())) for each, found in sizes]
    if len(totals) >= PASSES and totals[-1][1] > max(LARGE, GROWTH * totals[0][1]) and totals[0][1]:
        yield _exploding(case, *totals[-1], totals[0][1])


def _sizes(case: Case, each: Pass, weights: list[str]) -> dict[str, float]:
    """The typical size of a number in what a pass brought to each weight."""
    found = {}
    for name in weights:
        values = [change.value for change in between(case.grads[name], each.step, each.end or 0) if change.value]
        if values and (length := norm(values[-1])) is not None and size(values[-1]):
            found[name] = length / math.sqrt(size(values[-1]))
    return found


def _is_faint(sizes: dict[str, float], weights: list[str]) -> bool:
    come = [sizes[name] for name in weights if name in sizes]
    return len(come) >= LAYERS and 0 < come[0] < FAINT * come[-1]


def _vanishing(case: Case, each: Pass, weights: list[str]) -> Finding:
    sizes = _sizes(case, each, weights)
    first, last = (name for name in (weights[0], weights[-1]))
    ratio = sizes[last] / sizes[first]
    return Finding(
        kind=VANISHING, severity=WARNING,
        sentence=f"Gradients vanish: that of {case.name(first)} is {times(ratio)} smaller than that of "
        f"{case.name(last)}.",
        cause=(Place(words="the first layers hardly learn from this pass", where=each.event.where),),
        remedy="Use ReLU or GELU for sigmoid and tanh, skip connections, or norms between layers: `nn.LayerNorm(...)`.",
        steps=(each.step, each.end or each.step), parts=(first, last),
    )  # fmt: skip


def times(ratio: float) -> str:
    """
    >>> times(2345.6), times(5.6e12)
    ('2,346 times', 'about 10^12 times')
    """
    return f"{ratio:,.0f} times" if ratio < 1e6 else f"about 10^{math.floor(math.log10(ratio))} times"


def _step_before(case: Case, each: Pass) -> list[Place]:
    """The update before a pass, and where its learning rate is given."""
    before = next((update for update in reversed(case.updates) if update.step < each.step), None)
    if before is None:
        return []
    return [Place(words="after this step", where=before.where), *place_of_rate(case, before)]


def _exploding(case: Case, each: Pass, now: float, before: float) -> Finding:
    root = case.call_of.get(each.roots[0]) if each.roots else None
    loss = next(flat([root.outputs[0].value.numbers]), 0.0) if root is not None else 0.0
    rate = f": {gentle(case, case.updates[-1])}" if case.updates else ""
    remedy = f"Take a smaller learning rate{rate}; or clip: `torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)`."
    if loss < -LARGE:
        remedy = f"The loss falls without end, to {loss:,.0f}: look at its sign."
    return Finding(
        kind=EXPLODING, severity=WARNING,
        sentence=f"Gradients explode: they are {times(now / before)} as large as in the first pass.",
        cause=(Place(words="this pass brings them", where=each.event.where), *_step_before(case, each)),
        remedy=remedy,
        steps=(each.step, each.end or each.step), parts=each.roots,
    )  # fmt: skip
