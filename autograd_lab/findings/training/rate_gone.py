"""A learning rate that a schedule has brought down to next to nothing while training goes on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Case, Update
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.text import nodes, place
from autograd_lab.findings.training.made_in_text import name_of

KIND = "step-changes-nothing"
GONE = 1e-6
"""What share of the largest learning rate is next to nothing."""
STEPS = 4
"""So many steps have to be left with it, and half of all: a schedule may end at 0."""


def find(case: Case) -> Iterator[Finding]:
    """Of each optimizer whether that is so at the end."""
    by_optimizer: dict[tuple[str, ...], list[Update]] = {}
    for update in case.updates:
        if update.event.rates:
            by_optimizer.setdefault(update.event.parameters, []).append(update)
    for updates in by_optimizer.values():
        rates = [max(update.event.rates) for update in updates]
        left = next((n for n, rate in enumerate(reversed(rates)) if rate > GONE * max(rates)), 0)
        if left >= STEPS and 2 * left >= len(rates) and rates[-1] > 0:
            yield _finding(case, updates, len(updates) - left)


def _finding(case: Case, updates: list[Update], first: int) -> Finding:
    name, last = name_of(updates[first].where), updates[-1]
    rate, most = (f"{max(update.event.rates):.1g}" for update in (last, updates[0]))
    by = next(_schedules(case), None)
    step = "the scheduler" if by is None else f"`{by.text.partition('  #')[0]}`"
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"From step {first + 1} of {len(updates)} on {name}.step() changes next to nothing: the learning rate "
        f"has fallen to {rate}.",
        cause=(
            *([Place(words="this makes it smaller each time", where=by)] if by is not None else []),
            Place(words=f"it began at {most}", where=last.where),
        ),
        remedy=f"Call {step} less often, as once an epoch, after the loop over batches; or let the rate fall more "
        "slowly, as with `gamma=0.99`.",
        steps=(updates[first].step, last.step), parts=(),
    )  # fmt: skip


def _schedules(case: Case) -> Iterator[Where]:
    """The lines that step what was made by a class of schedules, `...LR(...)`."""
    for file, text in case.files.items():
        made = (each for each in nodes(text, ast.Assign) if isinstance(each.value, ast.Call))
        names = {ast.unparse(each.targets[0]) for each in made if _is_schedule(each.value)}
        steps = {f"{name}.step" for name in names}
        yield from (place(file, text, node) for node in nodes(text, ast.Call) if ast.unparse(node.func) in steps)


def _is_schedule(made: ast.expr) -> bool:
    return isinstance(made, ast.Call) and ast.unparse(made.func).endswith("LR")
