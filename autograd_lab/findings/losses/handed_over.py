"""Back through what only shows the same numbers in another shape."""

from __future__ import annotations

from collections.abc import Container
from functools import cache

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.numbers.singular import base

SHAPES = {
    "view", "unsafeview", "reshape", "reshapealias", "squeeze", "unsqueeze", "transpose", "t", "permute", "clone",
    "contiguous", "alias", "tocopy", "select", "slice", "flatten",
}  # fmt: skip
EXPANSIONS = {"expand", "broadcastto"}


def op(call: Call) -> str:
    """The bare name of an op, recorded or not: `mseloss` for `MseLossBackward0` and for `mse_loss`."""
    return _bare(call.name)


@cache
def _bare(name: str) -> str:
    return base(name).replace("_", "")


def source_of(case: Case, call: Call, place: int = 0, through: Container[str] = SHAPES) -> Call | None:
    """The call that an operand of a call came of, without those that only give its numbers another shape."""
    source = call.sources[place] if place < len(call.sources) else None
    while source is not None and op(case.calls[source]) in through:
        call = case.calls[source]
        source = call.sources[0] if call.sources else None
    return None if source is None else case.calls[source]


def as_written(case: Case, call: Call, place: int) -> str:
    """The tensor that the line handed over, before it was made larger for the other one."""
    source = call.sources[place]
    if source is not None and op(case.calls[source]) in EXPANSIONS and case.calls[source].where == call.where:
        return case.calls[source].operands[0]
    return call.operands[place]
