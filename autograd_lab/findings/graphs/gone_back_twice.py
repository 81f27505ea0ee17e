"""Two losses that are gone back from one after another, through a part that they share: their sum needs one pass."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from autograd_lab.findings.case import Case, Pass, between
from autograd_lab.findings.finding import NOTE, Finding, Place

KIND = "one-backward-would-do"
SHARED = 2
"""So many operations they have to share."""


def find(case: Case) -> Iterator[Finding]:
    """The first such pair of each line."""
    seen = set()
    for first, second in pairwise(each for each in case.passes if each.outer is None):
        shared = [node for node in first.ran & second.ran if node in case.call_of]
        where = first.event.where
        if len(shared) >= SHARED and where not in seen and _is_one_sum(case, first, second):
            seen.add(where)
            yield _finding(case, first, second, shared)


def _is_one_sum(case: Case, first: Pass, second: Pass) -> bool:
    """Whether the gradients of both add up, and nobody did anything to them, or used them, in between."""
    if not first.event.retain_graph or first.event.create_graph or first.end is None or second.end is None:
        return False
    if set(first.roots) & set(second.roots) or any(first.step < u.step < second.step for u in case.updates):
        return False
    leaves = first.received & second.received
    hows = [[c.how for c in between(case.grads[leaf], first.step, second.end + 1)] for leaf in leaves]
    return bool(hows) and all(len(each) == 2 and each[1] == "added" for each in hows)


def _finding(case: Case, first: Pass, second: Pass, shared: list[str]) -> Finding:
    names = [case.name(each.event.tensors[0]) for each in (first, second)]
    return Finding(
        kind=KIND, severity=NOTE,
        sentence=f"Two passes go through the same {len(shared)} operations, where one of the sum would do.",
        cause=(
            Place(words="the first keeps the graph", where=first.event.where),
            Place(words="for the second, which adds to the same gradients", where=second.event.where),
        ),
        remedy=f"Add the losses up and go back once: `({names[0]} + {names[1]}).backward()`.",
        steps=(second.step, first.step), parts=tuple(shared[:1]),
    )  # fmt: skip
