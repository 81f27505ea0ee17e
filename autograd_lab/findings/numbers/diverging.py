"""A loss that grows by orders of magnitude, though all numbers are still finite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from autograd_lab.findings.case import Case, Pass, Update
from autograd_lab.findings.code import slower
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.numbers import gradient_sizes, update_sizes
from autograd_lab.findings.training.made_in_text import made_by, place_of_rate
from autograd_lab.trace.amounts import flat

KIND = "loss-diverges"
RISES, GROWTH, LEAST = 3, 1e3, 1e-2
"""So often in a row it rises in the end, to so many times what it was at first; a loss near 0 is taken to be this."""
STRONG = 1.0
"""A step that overshoots changes a weight by more than this share of it; one that climbs may change it by less."""

Loss = tuple[Pass, float]


def find(case: Case) -> Iterator[Finding]:
    """Lines of which this is so, if nothing else tells of it: updates that replace weights, gradients that explode."""
    if any(update_sizes.find(case)) or any(each.kind == gradient_sizes.EXPLODING for each in gradient_sizes.find(case)):
        return
    by_line: dict[object, list[Loss]] = defaultdict(list)
    for each in case.passes:
        root = case.call_of.get(each.roots[0]) if len(each.roots) == 1 else None
        if root is not None and each.end is not None and not root.outputs[0].shape:
            by_line[each.event.where] += [(each, number) for number in flat([root.outputs[0].value.numbers])]
    for losses in by_line.values():
        last = [loss for _, loss in losses[-RISES - 1 :]]
        is_rising = len(last) > RISES and all(less < more for less, more in pairwise(last))
        if is_rising and GROWTH * max(losses[0][1], LEAST) < last[-1] < float("inf") and case.updates:
            yield _finding(case, losses)


def _finding(case: Case, losses: list[Loss]) -> Finding:
    (first, before), (last, now) = losses[0], losses[-1]
    name = case.name(last.event.tensors[0])
    update = next((u for u in reversed(case.updates) if u.step < last.step), case.updates[0])
    ratio, weight = max(update_sizes.changes(case, update), default=(0.0, ""))
    share = f"a step changes {case.name(weight)} by {ratio:.0%} of its size" if weight else "each step makes it larger"
    made = made_by(case, update)
    is_upwards = made is not None and "maximize=True" in made.where.text
    up = [Place(words="maximize=True climbs, and a loss is to fall", where=made.where)] if is_upwards and made else []
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The loss grows from {_said(before)} to {_said(now)} in {len(losses)} turns: training diverges.",
        cause=(
            *up,
            Place(words=share, where=update.where),
            Place(words=f"{name} is {_said(now)} here", where=last.event.where),
            *([] if up else place_of_rate(case, update)),
        ),
        remedy="Leave `maximize=True` out: it is for what is to grow, such as a reward." if up
        else _slower(update, ratio),
        steps=(last.step, update.step, first.step), parts=(*last.roots, *([weight] if weight else [])),
    )  # fmt: skip


def _slower(update: Update, ratio: float) -> str:
    smaller = f"a tenth of it or less: {slower(update.event.type, update.event.rates)}"
    if ratio > STRONG:
        return f"Take a smaller learning rate, {smaller}."
    return f"Look at the sign of the loss, which is to fall; or take a smaller learning rate, {smaller}."


def _said(number: float) -> str:
    """
    >>> _said(0.51234), _said(2642345.7)
    ('0.512', '2,642,346')
    """
    return f"{number:.3g}" if number < 100 or number > 1e9 else f"{number:,.0f}"
