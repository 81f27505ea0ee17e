"""A detach() in the wrong one of two losses: the one sends gradients that are thrown away, the other sends none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case, GradChange, Pass, Update
from autograd_lab.findings.code import complete
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.graphs.path import first_cut

KIND = "no-gradient-detached"


def find(case: Case, update: Update, cleared: GradChange | None, passes: list[Pass]) -> Iterator[Finding]:
    """Why these passes bring a step nothing: they detach what an earlier pass goes back through, whose gradients are
    cleared unused."""
    names = [name for name in update.event.parameters if name in case.tensors and case.tensors[name].uses]
    if not names or cleared is None:
        return
    roots = {root for each in passes for root in each.roots}
    cut, _ = first_cut(case, names[0], case.tensors[names[0]].uses, roots)
    earlier = [p for p in case.passes if p.step < cleared.step and p.received & set(names) and p not in passes]
    if cut is None or cut.call.name != "detach" or not earlier:
        return
    taken = _taken(case, cut.call, earlier[-1])
    if taken is not None and taken.where is not None and cut.call.where is not None:
        yield _finding(case, names, (cut.call, passes[-1]), (taken, earlier[-1]), cleared)


def _taken(case: Case, detach: Call, other: Pass) -> Call | None:
    """The call by which another pass goes back through what is detached."""
    source = detach.sources[0] if detach.sources else None
    users = [] if source is None else [case.calls[number] for number in case.calls[source].users]
    return next((call for call in users if call.node in other.ran), None)


def _finding(
    case: Case, names: list[str], here: tuple[Call, Pass], there: tuple[Call, Pass], cleared: GradChange
) -> Finding:
    (detach, mine), (taken, other) = here, there
    loss, wrong = (case.name(each.event.tensors[0]) if each.event.tensors else "the loss" for each in (mine, other))
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"No gradient of {loss} reaches {together(map(case.name, names))}; that of {wrong} does, and is "
        "cleared unused.",
        cause=(
            Place(words="`.detach()` cuts the history off", where=detach.where),
            Place(words=f"and {wrong} is computed without it", where=taken.where),
            Place(words=f"so gradients of {wrong} come, and are cleared unused", where=cleared.where),
        ),
        remedy=_moved(case, detach, taken), steps=(detach.step, cleared.step), parts=tuple(names),
    )  # fmt: skip


def _moved(case: Case, detach: Call, taken: Call) -> str:
    """What to write where it is missing, and where it is too much."""
    if detach.where is None or taken.where is None:
        return ""
    name = case.name(detach.operands[0])
    said = f"The `detach()` is in the wrong loss: move it from line {detach.where.number} to line {taken.where.number}"
    there, count = re.subn(rf"\b{re.escape(name)}\b", f"{name}.detach()", taken.where.text.partition("  #")[0])
    here = detach.where.text.partition("  #")[0].replace(".detach()", "", 1)
    if count != 1 or not complete(there) or not complete(here):
        there, here = f"{name}.detach()", name
    return f"{said}: `{there}` there, and `{here}` here."
