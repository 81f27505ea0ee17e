"""Any other error that ended the program: what it says, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from autograd_lab import events as e
from autograd_lab.findings.case import Case
from autograd_lab.findings.errors.named import failed_in
from autograd_lab.findings.finding import ERROR, Finding, Place
from autograd_lab.findings.numbers.not_finite import OF_NAN

KIND = "program-raised"


def find(case: Case, explained: Iterable[int], of_nan: bool) -> Iterator[Finding]:
    """The error that came last, if the program went no further and no finding explains it, as that of a NaN does."""
    known = set(explained)
    for step, event in case.errors[-1:]:
        if step not in known and step >= case.steps - 1 and not (of_nan and OF_NAN.search(event.message)):
            words = event.message.strip().partition("\n")[0]
            place, remedy = _of_shapes(case, event)
            yield Finding(
                kind=KIND, severity=ERROR, sentence=f"The program stopped with {event.error}: {words}",
                cause=(Place(words="it was raised here", where=event.where), *place), remedy=remedy, steps=(step,),
            )  # fmt: skip


SHAPES = re.compile(r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")


def _of_shapes(case: Case, event: e.ErrorRaised) -> tuple[tuple[Place, ...], str]:
    """Of a Linear that is given rows of another length: which one it is, and what would fit."""
    found, layer = SHAPES.fullmatch(event.message.strip()), failed_in(case, event, "Linear")
    if found is None or layer is None:
        return (), ""
    _, comes, takes, gives = found.groups()
    name = f"{layer.path}.weight"
    weight = next((each for each in case.tensors.values() if each.facts.name == name), None)
    words = f"{layer.path} is Linear({takes}, {gives}), and is given rows of {comes} numbers"
    place = Place(words=words, where=weight.where if weight is not None else event.where)
    return (place,), f"Let it take as many as come: `nn.Linear({comes}, {gives})`."
