"""A ReLU that only ever gives zeros: nothing gets past it any more, in either direction."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Call, Case, Tensor
from autograd_lab.findings.code import indexed
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
    """What to do: where the program itself set the bias, not to; of weights of 0, to begin with others."""
    if (weight := _weight_of_zeros(case, relu)) is not None:
        return (
            f"Begin with random weights, `nn.init.kaiming_uniform_({indexed(case.name(weight.facts.id))})`: zeros give "
            "no gradient to what is before them."
        )
    set_by = next((p.where for p in _cause(case, relu) if p.where is not None and SETS.search(p.where.text)), None)
    if set_by is None:
        return "Take a smaller learning rate, begin with other weights, or use `nn.LeakyReLU()`."
    return f"Leave `{set_by.text}` out, or set another number; `nn.LeakyReLU()` has a slope on both sides."


SETS = re.compile(r"\b(?:fill_|constant_|copy_)\(|\bbias\b[^=]*=(?!=)")
"""A line that sets a bias."""


def _before(case: Case, relu: Call) -> Call | None:
    source = relu.sources[0] if relu.sources else None
    return None if source is None else case.calls[source]


def _parameters(case: Case, before: Call | None) -> list[Tensor]:
    """What of a layer is learnt, also where it is turned first."""
    if before is None:
        return []
    names = [*before.operands, *(n for s in before.sources if s is not None for n in case.calls[s].operands)]
    return [each for n in names if (each := case.tensors.get(n)) is not None and each.is_parameter]


def _weight_of_zeros(case: Case, relu: Call) -> Tensor | None:
    """The weight of the layer before that has been 0 from the beginning, and is still."""
    of_layer = _parameters(case, _before(case, relu))
    return next((each for each in of_layer if len(each.facts.shape) > 1 and is_zero(each.value)), None)


def _cause(case: Case, relu: Call) -> Iterator[Place]:
    """What goes in; and the bias or the weight that makes it so."""
    before = _before(case, relu)
    most = None if before is None else maximum(before.outputs[0].value)
    sign = "0" if before is not None and is_zero(before.outputs[0].value) else "negative" if most else "0 or less"
    yield Place(words=f"all that goes in is {sign}" + (f", {most:.2g} at most" if most else ""), where=relu.where)
    if (weight := _weight_of_zeros(case, relu)) is not None:
        yield Place(words=f"{case.name(weight.facts.id)} is 0", where=_set_at(case, weight))
    for bias in _parameters(case, before):
        if len(bias.facts.shape) == 1 and (highest := maximum(bias.value)) is not None and highest < 0:
            words = f"{case.name(bias.facts.id)} is {highest:.3g} at most"
            yield Place(words=words, where=_set_at(case, bias))


def _set_at(case: Case, parameter: Tensor) -> Where | None:
    """The line of the program that gave a parameter its numbers."""
    writes = case.writes[parameter.facts.storage]
    return next((write.event.where for write in writes if write.update is None), parameter.where)
