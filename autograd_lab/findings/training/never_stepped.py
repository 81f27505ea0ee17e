"""backward() brings gradients in turn after turn, and the optimizer that was made for them never steps."""

from __future__ import annotations

from collections.abc import Iterator

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


def _passes(case: Case) -> list[Pass]:
    return [each for each in case.passes if each.end is not None]


def _finding(case: Case, idle: list[Made], waiting: list[str]) -> Finding:
    passes = [each for each in _passes(case) if waiting[0] in each.received]
    names = [made.name for made in idle]
    wrong = next((update.where for update in case.updates if update.step > passes[-1].step), None)
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
