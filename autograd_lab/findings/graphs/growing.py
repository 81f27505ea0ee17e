"""Passes that go further back in each turn: a state carries the graphs of all turns before along."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from autograd_lab.findings.case import Case, Pass
from autograd_lab.findings.errors.second_backward import carried
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "graph-grows"
TURNS = 3


def find(case: Case) -> Iterator[Finding]:
    """Lines with `retain_graph=True` from which each pass runs through more of the pass before than that one did."""
    by_line: dict[object, list[Pass]] = {}
    for each in case.passes:
        if each.end is not None and each.event.retain_graph and each.event.where is not None:
            by_line.setdefault(each.event.where, []).append(each)
    for passes in by_line.values():
        shared = [0, *(len(one.ran & other.ran) for one, other in pairwise(passes))]
        if len(passes) >= TURNS and all(less < more for less, more in pairwise(shared)):
            yield _finding(case, passes)


def _finding(case: Case, passes: list[Pass]) -> Finding:
    first, last = passes[0], passes[-1]
    state = carried(case, passes[1].step)
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"Each backward() goes back through all turns before: {len(first.ran)} operations at first, "
        f"{len(last.ran)} in the last.",
        cause=(Place(words="retain_graph=True keeps the graphs of all turns", where=first.event.where),),
        remedy=f"Detach what is carried over, `{state} = {state}.detach()`, and leave `retain_graph=True` out.",
        steps=(passes[1].step, last.step), parts=last.roots,
    )  # fmt: skip
