"""Logits handed to nll_loss, which wants logarithms of probabilities: the loss falls without a bound."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.graphs.path import leads_to
from autograd_lab.findings.losses.handed_over import op, source_of
from autograd_lab.findings.losses.normalized_twice import GIVEN
from autograd_lab.trace.amounts import maximum

KIND = "nll-of-logits"
ROUNDING = 1e-3
"""How far above 0 the logarithm of a probability may be."""


def find(case: Case) -> Iterator[Finding]:
    """The first call of each line that is handed what is no logarithm of a probability, and is gone back through."""
    roots = {root for each in case.passes for root in each.roots}
    seen = set()
    for call in case.calls:
        if op(call) == "nllloss" and call.node is not None and call.where not in seen:
            before, most = source_of(case, call), _most(case, call)
            is_told = before is not None and op(before) in GIVEN["nllloss"]
            if not is_told and most is not None and most > ROUNDING and leads_to(case, call, roots):
                seen.add(call.where)
                yield _finding(case, call, before, most)


def _most(case: Case, call: Call) -> float | None:
    """The largest number that a loss was handed."""
    given = case.tensors.get(call.operands[0])
    return None if given is None else maximum(given.facts.value)


def _finding(case: Case, call: Call, before: Call | None, most: float) -> Finding:
    made = () if before is None or before.where == call.where else (Place(words="made here", where=before.where),)
    return Finding(
        kind=KIND, severity=WARNING,
        sentence="nll_loss is given what are no logarithms of probabilities: nothing keeps the loss above 0.",
        cause=(Place(words=f"it is given up to {most:.2g}, and such logarithms end at 0", where=call.where), *made),
        remedy="Give logits to `cross_entropy(logits, target)`, or `log_softmax(logits, dim=1)` to nll_loss.",
        steps=(call.step,), parts=call.operands[:1],
    )  # fmt: skip
