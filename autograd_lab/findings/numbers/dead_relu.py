"""A ReLU that only ever gives zeros: nothing gets past it any more, in either direction."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.numbers.singular import base
from autograd_lab.trace.amounts import is_zero, maximum, size

KIND = "dead-relu"
LAST, FEW = 3, 4
"""So many of the last calls of it have to give nothing but zeros, of at least so many numbers each."""


def find(case: Case) -> Iterator[Finding]:
    """Each place in a program that is trained at which that is so."""
    if not case.updates:
        return
    places: dict[object, list[Call]] = defaultdict(list)
    for call in case.calls:
        if base(call.name) == "relu" and call.node is not None:
            places[call.where, call.modules].append(call)
    for calls in places.values():
        last = calls[-LAST:]
        if len(last) == LAST and all(is_zero(c.outputs[0].value) and size(c.outputs[0].value) >= FEW for c in last):
            first = next(call for call in calls if is_zero(call.outputs[0].value))
            where = f" in {module}" if (module := case.module_of(first)) else ""
            yield Finding(
                kind=KIND, severity=WARNING,
                sentence=f"A ReLU{where} gives nothing but zeros: what is before it cannot learn.",
                cause=tuple(_cause(case, first)),
                remedy=_remedy(case, first),
                steps=(first.step, last[-1].step), parts=(first.node or "", first.outputs[0].id),
            )  # fmt: skip


def _remedy(case: Case, relu: Call) -> str:
    """What to do: where the program itself set the bias, not to."""
    set_by = next((p.where for p in _cause(case, relu) if p.where is not None and SETS.search(p.where.text)), None)
    if set_by is None:
        return "Take a smaller learning rate, begin with other weights, or use `nn.LeakyReLU()`."
    return f"Leave `{set_by.text}` out, or set another number; `nn.LeakyReLU()` has a slope on both sides."


SETS = re.compile(r"\b(?:fill_|constant_|copy_)\(|\bbias\b[^=]*=(?!=)")
"""A line that sets a bias."""


def _cause(case: Case, relu: Call) -> Iterator[Place]:
    """What goes in; and the bias that makes it negative, if that is so."""
    source = relu.sources[0] if relu.sources else None
    before = None if source is None else case.calls[source]
    most = None if before is None else maximum(before.outputs[0].value)
    yield Place(words="all that goes in is negative" + (f", {most:.2g} at most" if most else ""), where=relu.where)
    for name in before.operands if before is not None else ():
        bias = case.tensors.get(name)
        is_bias = bias is not None and bias.is_parameter and len(bias.facts.shape) == 1
        if bias is not None and is_bias and (highest := maximum(bias.value)) is not None and highest < 0:
            writes = case.writes[bias.facts.storage]
            where = next((write.event.where for write in writes if write.update is None), bias.where)
            yield Place(words=f"{case.name(name)} is {highest:.3g} at most", where=where)
