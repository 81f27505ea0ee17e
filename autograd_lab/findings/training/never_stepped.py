"""backward() brings gradients in turn after turn, and the optimizer that was made for them never steps."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Case, Pass
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.training.made_in_text import Made, made_in, name_of

KIND = "step-never-called"
TURNS = 2


def find(case: Case) -> Iterator[Finding]:
    """Optimizers that a program makes and nothing in it steps, while parameters get gradients that nobody uses."""
    waiting = waits_in_vain(case)
    if waiting:
        yield _finding(case, _idle(case), waiting)


def _idle(case: Case) -> list[Made]:
    return [made for made in made_in(case) if not made.steps and not made.is_handed_on]


def waits_in_vain(case: Case) -> list[str]:
    """The parameters that several passes bring gradients, and that nothing ever changes, if an optimizer is idle."""
    passes = _passes(case) if _idle(case) else []
    return [
        name
        for name, tensor in case.tensors.items()
        if tensor.is_parameter and name not in case.given and not case.writes[tensor.facts.storage]
        and sum(name in each.received for each in passes) >= TURNS
    ]  # fmt: skip


def astray(case: Case) -> Where | None:
    """The line at which an optimizer that steps elsewhere, too, steps in the place of one that never does."""
    waiting = waits_in_vain(case)
    wrong = _instead(case, [each for each in _passes(case) if waiting[0] in each.received]) if waiting else None
    given = {update.event.parameters for update in case.updates if update.where == wrong}
    has_others = any(update.where != wrong and update.event.parameters in given for update in case.updates)
    return wrong if has_others else None


def _instead(case: Case, passes: list[Pass]) -> Where | None:
    """Where the next step is after the last of these passes, if none but that pass can be meant by it."""
    last = passes[-1]
    after = next((update for update in case.updates if update.step > last.step), None)
    between = after is not None and any(last.step < p.step < after.step and p.outer is None for p in case.passes)
    return None if after is None or between else after.where


def _passes(case: Case) -> list[Pass]:
    return [each for each in case.passes if each.end is not None]


def _finding(case: Case, idle: list[Made], waiting: list[str]) -> Finding:
    passes = [each for each in _passes(case) if waiting[0] in each.received]
    names = [made.name for made in idle]
    wrong = _instead(case, passes)
    called = " and ".join(f"{name}.step()" for name in names)
    other = [] if wrong is None else [Place(words=f"and {name_of(wrong)} steps", where=wrong)]
    instead = "" if wrong is None else f", in the place of `{name_of(wrong)}.step()`"
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{called} is never called: backward() brings gradients for {together(map(case.name, waiting))}, "
        "and nothing uses them.",
        cause=(
            Place(words="gradients come here in each turn", where=passes[0].event.where), *other,
            *(Place(words=f"{made.name} is made here", where=made.where) for made in idle),
        ),
        remedy=f"Step after backward(): `{names[0]}.step()`{instead}.",
        steps=(passes[-1].step,), parts=tuple(waiting),
    )  # fmt: skip
