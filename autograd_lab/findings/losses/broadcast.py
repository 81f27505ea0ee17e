"""A loss of (N, 1) against (N,): each of N outputs is compared with each of N targets."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.graphs.path import asks_at, leads_to
from autograd_lab.findings.losses.handed_over import as_written, op

KIND = "loss-broadcasts"
COMPARE = {"sub", "rsub", "mseloss", "smoothl1loss", "huberloss"}
"""What losses begin with; those of others ask for equal shapes."""


def find(case: Case) -> Iterator[Finding]:
    """The first call of each line that compares a column that is gone back through with a row that is not."""
    roots = {root for each in case.passes for root in each.roots}
    seen = set()
    for call in case.calls:
        if call.node is None or op(call) not in COMPARE or len(call.operands) != 2 or call.where in seen:
            continue
        one, two = (as_written(case, call, place) for place in range(2))
        if _is_column_against_row(case, one, two) and _is_a_target(case, call) and leads_to(case, call, roots):
            seen.add(call.where)
            yield _finding(case, call, one, two)


def _is_column_against_row(case: Case, one: str, two: str) -> bool:
    if one not in case.tensors or two not in case.tensors:
        return False
    short, long = sorted((case.tensors[name].facts.shape for name in (one, two)), key=len)
    return len(short) == 1 and short[0] > 1 and long == (*short, 1)


def _is_a_target(case: Case, call: Call) -> bool:
    """Whether one side asks for no gradient, and nothing that is recorded has made both: of one thing all pairs are
    compared on purpose."""
    if len([name for name in call.operands if asks_at(case, name, call)]) != 1:
        return False
    behind = [
        {each.number for each in case.ancestors(case.calls[source]) if each.node} if source is not None else set()
        for source in call.sources
    ]
    return behind[0].isdisjoint(behind[1])


def _finding(case: Case, call: Call, one: str, two: str) -> Finding:
    shapes = [case.tensors[name].facts.shape for name in (one, two)]
    row = one if len(shapes[0]) == 1 else two
    n, name = case.tensors[row].facts.shape[0], case.tensors[row].facts.name or "target"
    said = " and ".join(f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})" for shape in shapes)
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The loss compares each of {n} outputs with each of {n} targets: the shapes are {said}.",
        cause=(Place(words=f"this makes {n} × {n} differences", where=call.where),),
        remedy=f"Give both the same shape: `{name}.unsqueeze(1)`, or the output with `.squeeze(1)`.",
        steps=(call.step,), parts=(one, two),
    )  # fmt: skip
