"""Steps of an optimizer that have no new gradient: before backward(), or after the gradients were cleared."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Case, GradChange, Pass, Update, between
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.graphs.loss_is_a_leaf import begins_at_leaves
from autograd_lab.findings.training import detached_elsewhere, no_gradient
from autograd_lab.findings.training.made_in_text import name_of
from autograd_lab.trace.amounts import is_zero

BEFORE, CLEARED, STALE = "step-before-backward", "gradients-cleared-before-step", "step-without-backward"


def find(case: Case) -> Iterator[Finding]:
    """Of each optimizer that had a gradient for less than half of its steps, or only for later ones: why the others
    had none. A step or two without one may be meant, as before a scheduler begins."""
    if begins_at_leaves(case):
        return  # which says why
    for updates in _by_optimizer(case).values():
        idle = [(update, why) for update, why in zip(updates, _whys(case, updates), strict=True) if why is not None]
        if idle and (2 * len(idle) > len(updates) or _is_one_behind(case, updates, [u for u, _ in idle])):
            update, why = idle[0]
            vain = _passes_in_vain(case, update, why)
            if vain:
                moved = list(detached_elsewhere.find(case, update, why[1], vain))
                yield from moved or no_gradient.from_passes(case, update.event.parameters, vain)
            elif not _is_never_reached(case, update):
                yield _finding(case, update, why, is_first=update is updates[0])


def _passes_in_vain(case: Case, update: Update, why: Why) -> list[Pass]:
    """The passes between the last clearing and a step: they were to bring gradients, and those of others are gone."""
    kind, change = why
    start = change.step if kind == CLEARED and change is not None else update.step
    return [each for each in case.passes if start < each.step < update.step and each.end is not None]


def _is_never_reached(case: Case, update: Update) -> bool:
    """Whether no pass at all brings a gradient: of that is told as of what its parameters lack."""
    passes = [each for each in case.passes if each.end is not None]
    return bool(passes) and all(each.received.isdisjoint(update.event.parameters) for each in passes)


def _by_optimizer(case: Case) -> dict[tuple[str, ...], list[Update]]:
    """The steps of each optimizer, which is known by what it was given; but for those with a pass of their own, in the
    function that they call, and the one in which an error ended the program."""
    found: dict[tuple[str, ...], list[Update]] = {}
    for update in case.updates:
        if update.step > case.last_turn:
            break
        end = update.end
        if update.event.parameters and end and not any(update.step < p.step < end for p in case.passes):
            found.setdefault(update.event.parameters, []).append(update)
    return found


Why = tuple[str, GradChange | None]
"""A kind, and what was done to a gradient last."""


def _whys(case: Case, updates: list[Update]) -> Iterator[Why | None]:
    """For each step why it had no new gradient for any of its parameters; None if it had."""
    before = 0
    for update in updates:
        changes = [
            change for name in update.event.parameters for change in between(case.grads[name], before, update.step)
        ]
        yield _why(changes)
        before = update.step


def _why(changes: list[GradChange]) -> Why | None:
    clears = [c for c in changes if c.how == "cleared" or (c.how == "changed" and is_zero(c.value))]
    comes = [c for c in changes if c.how in ("set", "added")]
    if comes and (not clears or max(c.step for c in comes) > max(c.step for c in clears)):
        return None
    if comes:
        return CLEARED, max(clears, key=lambda c: c.step)
    return (BEFORE, None) if clears else (STALE, None)


def _is_one_behind(case: Case, updates: list[Update], idle: list[Update]) -> bool:
    """Whether the first step had none, and the gradients of the last pass were never used."""
    changes = (c.step for name in updates[0].event.parameters for c in case.grads.get(name, ()))
    last = max((step for step in changes if step <= case.last_turn), default=0)
    return idle == updates[:1] and len(updates) > 1 and last > (updates[-1].end or last)


def _first_pass(case: Case, update: Update) -> Pass | None:
    """The first pass that brings gradients for an optimizer, if it comes after a step of it."""
    first = next((p for p in case.passes if not p.received.isdisjoint(update.event.parameters)), None)
    return first if first is not None and first.step > update.step else None


def _finding(case: Case, update: Update, why: Why, is_first: bool) -> Finding:
    kind, change = why
    order = f"The order is: zero_grad(), forward pass, `loss.backward()`, `{name_of(update.where)}.step()`."
    cause = [Place(words="this step has no new gradient", where=update.where)]
    if kind == CLEARED and change is not None:
        cause.insert(0, Place(words="the gradients are cleared before they are used", where=change.where))
        sentence = "The optimizer steps without gradients: they are cleared between backward() and step()."
    elif is_first and (after := _first_pass(case, update)) is not None:
        kind, sentence = BEFORE, "The optimizer steps before backward(), so the gradients come too late."
        cause.append(Place(words="gradients come only here", where=after.event.where))
    else:
        kind, sentence = STALE, "The optimizer steps, and no gradient has come since its step before."
        order = f"Call `loss.backward()` before each step. {order}"
    return Finding(
        kind=kind, severity=WARNING, sentence=sentence, cause=tuple(cause), remedy=order,
        steps=(update.step, *([change.step] if change is not None else [])), parts=update.event.parameters[:1],
    )  # fmt: skip
