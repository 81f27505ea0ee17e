"""Parameters that have a gradient for some steps of their optimizer and none for others between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from autograd_lab.findings.case import Case, GradChange, Update, between
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import NOTE, Finding, Place
from autograd_lab.findings.training.made_in_text import Made, made_by, name_of
from autograd_lab.trace.amounts import is_zero

KIND = "gradient-in-some-turns"
OFF = ("0", "0.0")
"""How options are written that do nothing."""
OF_DDP = "DistributedDataParallel stops at it, unless it has `find_unused_parameters=True`."
OF_NONE = "If it is meant, nothing is to be done: a step leaves alone what has no gradient."
OF_ZERO = "A gradient of 0 is a gradient. Leave them without one, and a step leaves them alone: {}."


def find(case: Case) -> Iterator[Finding]:
    """By lines at which they are used, those that came to nothing in a step between others; of each optimizer."""
    by_optimizer: dict[tuple[str, ...], list[Update]] = defaultdict(list)
    for update in case.updates:
        if update.step <= case.last_turn:
            by_optimizer[update.event.parameters].append(update)
    groups: dict[object, list[tuple[str, Update, int, int]]] = defaultdict(list)
    for given, updates in by_optimizer.items():
        busy = [update for update in updates if any(_has_come(case, name, updates, update) for name in given)]
        for name in given if len(busy) > 2 else ():
            came = [_has_come(case, name, updates, update) for update in busy]
            if came.count(True) > 1 and False in (between_them := came[came.index(True) : _last(came)]):
                missed = busy[came.index(True) + between_them.index(False)]
                use = case.calls[case.tensors[name].uses[0]].where if case.tensors[name].uses else None
                groups[use].append((name, missed, came.count(True), len(came)))
    yield from (_finding(case, found) for found in groups.values())


def _last(came: list[bool]) -> int:
    return len(came) - came[::-1].index(True)


def _has_come(case: Case, name: str, updates: list[Update], update: Update) -> bool:
    """Whether a gradient has come for a step since the one before."""
    before = updates[updates.index(update) - 1].step if update is not updates[0] else 0
    return any(change.how in ("set", "added") for change in between(case.grads.get(name, []), before, update.step))


def _finding(case: Case, found: list[tuple[str, Update, int, int]]) -> Finding:
    name, missed, count, of = found[0]
    names, tensor = [each for each, *_ in found], case.tensors[name]
    last = [change for change in case.grads[name] if change.step < missed.step][-1:]
    zeroed = next((change for change in last if change.value is not None and is_zero(change.value)), None)
    used = case.calls[tensor.uses[0]].where if tensor.uses else tensor.where
    return Finding(
        kind=KIND, severity=NOTE,
        sentence=f"A gradient reaches {together(map(case.name, names))} in only {count} of {of} steps.",
        cause=(
            Place(words="in the other turns this is not on the path to the loss", where=used),
            *(_none(missed) if zeroed is None else _zeros(case, names, zeroed, missed)),
        ),
        remedy=f"{OF_NONE if zeroed is None else OF_ZERO.format(_none_left(zeroed, missed))} {OF_DDP}",
        steps=(missed.step, tensor.step), parts=tuple(names),
    )  # fmt: skip


def _none(missed: Update) -> list[Place]:
    return [Place(words="so there is none for this step", where=missed.where)]


def _zeros(case: Case, names: list[str], zeroed: GradChange, missed: Update) -> list[Place]:
    """Where zeros come from, and what a step makes of them."""
    moved = [
        name for name in names
        if name in case.tensors and any(w.update is missed for w in case.writes[case.tensors[name].facts.storage])
    ]  # fmt: skip
    step = "and this step leaves them as they are, unless there is momentum or weight decay"
    if moved:
        by = " and ".join(_movers(made_by(case, missed), missed.event.type))
        step = f"this step moves {together(map(case.name, moved))}{f' by {by}' if by else ''} all the same"
    return [Place(words="this leaves zeros in .grad", where=zeroed.where), Place(words=step, where=missed.where)]


def _movers(made: Made | None, kind: str) -> list[str]:
    """By what an optimizer moves weights whose gradients are 0, as far as the line says that makes it."""
    given = {} if made is None else made.options
    found = ["momentum"] if given.get("momentum", "0") not in OFF else []
    found += ["its averages of earlier gradients"] if "Adam" in kind else []
    decays = given.get("weight_decay", "0.01" if kind == "AdamW" else "0") not in OFF
    return found + (["weight decay"] if decays else [])


def _none_left(zeroed: GradChange, missed: Update) -> str:
    """How gradients are cleared so that none is left."""
    text = "" if zeroed.where is None else zeroed.where.text.partition("#")[0].strip()
    if "set_to_none=False" in text:
        return f"`{text.replace('set_to_none=False', 'set_to_none=True')}`"
    return f"`{name_of(missed.where)}.zero_grad(set_to_none=True)`"
