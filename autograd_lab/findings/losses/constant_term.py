"""A term of a loss that is a constant: computed of what a model gives, by what lets no gradient past."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.graphs.path import COMPARISONS, Cut, cuts_behind
from autograd_lab.findings.losses.handed_over import op
from autograd_lab.findings.noted import spoken

WAYS = {"add", "sub", "mul", "div", "neg"}
"""By what terms are put together."""
SMOOTH = "Use something smooth in its place: the probabilities themselves, as `torch.sigmoid(logits)` for `logits > 0`."


def find(case: Case) -> Iterator[Finding]:
    """The first time each such term is added to what is gone back from; what is detached in so many words may be
    meant to be one."""
    seen = set()
    for root in (root for each in case.passes for root in each.roots if root in case.call_of):
        for call, term in _constants(case, case.call_of[root]):
            cut = next((cut for cut in cuts_behind(case, term) if _is_unmeant(cut)), None)
            if cut is not None and (call.where, cut.call.where) not in seen:
                seen.add((call.where, cut.call.where))
                yield _finding(case, call, term, cut)


def _is_unmeant(cut: Cut) -> bool:
    return (cut.kind == "whole-numbers" and spoken(cut.call.name) in COMPARISONS) or cut.call.name == "data"


def _constants(case: Case, root: Call) -> Iterator[tuple[Call, Call]]:
    """The sums of single numbers that a root is, each with an operand that was computed without a history."""
    waiting = [root]
    for call in waiting:
        if call.node is None or op(call) not in WAYS or call.outputs[0].shape:
            continue
        sources = [case.calls[number] for number in call.sources if number is not None]
        waiting += [each for each in sources if each.node is not None]
        if op(call) in ("add", "sub"):
            yield from ((call, each) for each in sources if each.node is None and not each.outputs[0].shape)


def _finding(case: Case, call: Call, term: Call, cut: Cut) -> Finding:
    return Finding(
        kind=f"no-gradient-{cut.kind}", severity=WARNING,
        sentence=f"A term of the loss is a constant, and teaches nothing: {case.name(term.outputs[0].id)}.",
        cause=(*cut.places, Place(words="it is added here", where=call.where)),
        remedy=SMOOTH if cut.kind == "whole-numbers" else cut.remedy,
        steps=(call.step, cut.call.step), parts=(term.outputs[0].id,),
    )  # fmt: skip
