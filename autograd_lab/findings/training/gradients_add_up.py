"""zero_grad forgotten: a step of the optimizer uses gradients that the step before has already used."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.events import Where
from autograd_lab.findings.case import Case, GradChange, Pass, Update, between
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.training.made_in_text import name_of
from autograd_lab.findings.training.never_stepped import astray
from autograd_lab.trace.amounts import is_zero

KIND = "gradients-add-up"


def find(case: Case) -> Iterator[Finding]:
    """Parameters with a gradient that was used by one update, added to, and used by the next.

    To add up over several passes between two updates is to accumulate on purpose; only what is used twice is not.
    """
    found: dict[str, tuple[GradChange, int]] = {}
    wrong = astray(case)
    for leaf in (name for name in case.tensors if name in case.grads):
        changes = case.grads[leaf]
        if (twice := _used_twice(changes, _updates_of(case, leaf, wrong), case.is_of_iterations)) is not None:
            found[leaf] = twice
    if found:
        yield _finding(case, found)
    else:
        yield from _of_another_loss(case)


def _of_another_loss(case: Case) -> Iterator[Finding]:
    """Gradients that a step uses and that came of a loss for another optimizer: cleared before that came, not after.

    The pass that they were meant for comes first in each turn, or trains nothing but what the other went through: else
    two losses may add up on purpose.
    """
    first: dict[object, Pass] = {}
    for each in case.passes:
        first.setdefault(each.event.where, each)
    for update in case.updates:
        given = set(update.event.parameters)
        earlier = (u for u in case.updates if u.step < update.step and given & set(u.event.parameters))
        before = max((u.end or 0 for u in earlier), default=0)
        passes = [p for p in case.passes if before < p.step < update.step and p.received & given]
        if before and len(passes) > 1 and len({p.event.where for p in passes}) > 1:
            stray, meant = passes[0], passes[-1]
            others = [
                u for u in case.updates if stray.step < u.step < meant.step and not given & set(u.event.parameters)
            ]
            is_late = first[meant.event.where].step < first[stray.event.where].step
            mixed = [name for name in given & meant.received if _is_added_to(case, name, stray, meant)]
            is_apart = meant.received <= given and meant.received <= stray.received
            if (is_late or is_apart) and mixed and any(set(u.event.parameters) & stray.received for u in others):
                yield _mixed(case, update, stray, meant, mixed)
                return


def _is_added_to(case: Case, name: str, stray: Pass, meant: Pass) -> bool:
    """Whether what one pass brought is still there when another one adds to it."""
    changes = between(case.grads[name], stray.step, (meant.end or meant.step) + 1)
    return bool(changes) and changes[-1].how == "added" and not any(
        each.how == "cleared" or is_zero(each.value) for each in changes
    )  # fmt: skip


def _mixed(case: Case, update: Update, stray: Pass, meant: Pass, names: list[str]) -> Finding:
    by = name_of(update.where)
    names = [name for name in case.tensors if name in set(names)]
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{by}.step() uses gradients of another loss, too: those of {together(map(case.name, names))} add up.",
        cause=(
            Place(words="adds to what another loss has left", where=meant.event.where),
            Place(words="which came here, and was not cleared since", where=stray.event.where),
            Place(words="both are used here", where=update.where),
        ),
        remedy=f"Clear them right before the backward() that they are for: `{by}.zero_grad()`.",
        steps=(meant.step, stray.step), parts=tuple(names),
    )  # fmt: skip


def _updates_of(case: Case, leaf: str, wrong: Where | None = None) -> list[int]:
    """The steps at which a leaf was written to after it had a gradient: by an optimizer, or by the program; but for
    those of a line that is to step another optimizer, which is told of already."""
    tensor = case.tensors.get(leaf)
    if tensor is None:
        return []
    writes = (each for each in case.writes[tensor.facts.storage] if each.event.op != e.UNSEEN)
    return [each.step for each in writes if wrong is None or each.update is None or each.update.where != wrong]


def _used_twice(changes: list[GradChange], updates: list[int], is_of_iterations: bool) -> tuple[GradChange, int] | None:
    """The addition to a gradient that was used before and is used again after, and the first use."""
    steps = sorted([(each.step, each) for each in changes] + [(step, None) for step in updates], key=lambda one: one[0])
    used, added = 0, None
    for step, change in steps:
        if change is None:
            if added is not None:
                return added, used
            used = used or step
        elif change.how == "found" and is_of_iterations and not is_zero(change.value):
            used, added = step, None  # by the update that the iteration before ended with
        elif change.how in ("cleared", "set", "found") or is_zero(change.value):
            used, added = 0, None
        elif change.how == "added" and used:
            added = change
    return None


def _how_seldom(case: Case, leaf: str) -> str:
    """How often a gradient is cleared between the updates that use it."""
    updates = _updates_of(case, leaf)
    changes = between(case.grads[leaf], updates[0], updates[-1])
    count = sum(each.how == "cleared" or is_zero(each.value) for each in changes)
    if not count:
        return "they are never cleared"
    return (
        f"between {len(updates)} updates they are cleared only {({1: 'once', 2: 'twice'}).get(count, f'{count} times')}"
    )


def _finding(case: Case, found: dict[str, tuple[GradChange, int]]) -> Finding:
    leaf, (added, used) = min(found.items(), key=lambda each: each[1][0].step)
    by = next((update for update in case.updates if update.step <= used <= (update.end or used)), None)
    writes = case.writes[case.tensors[leaf].facts.storage]
    use = next((w.event.where for w in writes if w.step == used), None)
    last = by if by is not None else next((u for u in case.updates if added.step < u.step), None)
    names = together(case.name(name) for name in found)
    clear = f"`{name_of(last.where)}.zero_grad()`" if last is not None else f"`{case.name(leaf)}.grad = None`"
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The gradients of {names} add up from update to update: {_how_seldom(case, leaf)}.",
        cause=(
            Place(words="adds to gradients that were used before", where=added.where),
            Place(words="used them already", where=last.where if last is not None else use),
        ),
        remedy=f"Clear them in each turn, before backward(): {clear}.",
        steps=(added.step, used), parts=tuple(found),
    )  # fmt: skip
