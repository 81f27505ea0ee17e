"""zero_grad() within a loop that was to accumulate: of several passes a step uses the last alone."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Case, GradChange, Update, between
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.training.made_in_text import name_of
from autograd_lab.trace.amounts import is_zero

KIND = "gradients-cleared-before-step"
STEPS = 2
"""So many steps have to lose gradients so."""


def find(case: Case) -> Iterator[Finding]:
    """The first optimizer of which each step lost what the same line had brought before, and nobody had used."""
    by_optimizer: dict[tuple[str, ...], list[Update]] = {}
    for update in case.updates:
        if update.step <= case.last_turn:
            by_optimizer.setdefault(update.event.parameters, []).append(update)
    for given, updates in by_optimizer.items():
        name = next((name for name in given if case.grads.get(name)), None)
        lost = [] if name is None else [_lost(case, name, updates, at) for at in range(len(updates))]
        if name is not None and len(lost) >= STEPS and all(lost):
            yield _finding(case, name, updates[0], lost[0])
            return


def _lost(case: Case, name: str, updates: list[Update], at: int) -> list[GradChange]:
    """What came before a step and was cleared, while the same line brought more; then the clearing that did it."""
    update, before = updates[at], updates[at - 1].end or 0 if at else 0
    changes = between(case.grads[name], before, update.step)
    clears = [k for k, change in enumerate(changes) if change.how == "cleared" or is_zero(change.value)]
    last = clears[-1] if clears else 0
    came, more = ([c for c in part if c.how in ("set", "added")] for part in (changes[:last], changes[last:]))
    is_written = between(case.writes[case.tensors[name].facts.storage], before, update.step)
    if not came or not more or came[-1].where is None or came[-1].where != more[-1].where or is_written:
        return []
    return [*came, changes[last]]


def _finding(case: Case, name: str, update: Update, lost: list[GradChange]) -> Finding:
    *came, cleared = lost
    by = name_of(update.where)
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{by}.step() uses the last of {len(came) + 1} passes alone: what the others brought is cleared.",
        cause=(
            Place(words="cleared here, in each turn", where=cleared.where),
            Place(words="gradients were to add up here", where=came[0].where),
            Place(words="for this step", where=update.where),
        ),
        remedy=f"Clear them once for each step, before the loop that adds them up: `{by}.zero_grad()`.",
        steps=(cleared.step, came[0].step, update.step), parts=(name,),
    )  # fmt: skip
