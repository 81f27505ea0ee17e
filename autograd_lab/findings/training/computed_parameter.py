"""`self.w = nn.Parameter(...) + 1`: what is computed of a Parameter is none itself, and no optimizer is given it."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.code import parameter_last
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "layer-not-registered"


def find(case: Case) -> Iterator[Finding]:
    """The results of such lines whose hidden Parameters get gradients that nobody uses."""
    if not case.updates or case.is_stopped_early:
        return
    received = set().union(*(each.received for each in case.passes)) - case.given
    for name in (name for name in case.tensors if name in received):
        if (line := is_of(case, name)) is not None:
            yield _finding(case, case.calls[case.tensors[name].uses[0]], line)


def is_of(case: Case, name: str) -> str | None:
    """Of a Parameter that is first used on the line that makes it, how that line makes one of its result."""
    tensor = case.tensors[name]
    where = case.calls[tensor.uses[0]].where if tensor.uses else None
    return parameter_last(where.text) if where is not None else None


def _finding(case: Case, call: Call, line: str) -> Finding:
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{line.partition(' = ')[0]} will never learn: what is computed of a Parameter is none itself.",
        cause=(
            Place(words="this is a result, and the Parameter in it has no name", where=call.where),
            Place(words="the optimizer steps here", where=case.updates[0].where),
        ),
        remedy=f"Compute first: `{line}`.", steps=(case.updates[0].step, call.step), parts=(call.outputs[0].id,),
    )  # fmt: skip
