"""`z = Normal(mu, std).sample()` on the way to a loss: what comes after z teaches nothing to what gave mu."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.enumeration import listed
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.graphs.path import asks_at, is_sample, leads_to, of_sample
from autograd_lab.findings.losses.handed_over import SHAPES, as_written, op

KIND = "no-gradient-no-grad"
JOINED = SHAPES | {"stack", "cat"}


def find(case: Case) -> Iterator[Finding]:
    """The first such draw of each line, if what it is drawn by is taught otherwise: else it is told what gets nothing.

    Of what is drawn log_prob() may be taken, which compares it with the mean: that needs no way through it.
    """
    roots = {root for each in case.passes for root in each.roots}
    ran = set().union(*(each.ran for each in case.passes)) if case.passes else set()
    seen = set()
    for call in case.calls:
        if op(call) != "normal" or not is_sample(call) or call.where in seen or not leads_to(case, call, roots):
            continue
        by = [name for n in range(len(call.operands)) if _asks(case, call, name := as_written(case, call, n))]
        made = [case.tensors[name].maker for name in by]
        is_taught = any(number is not None and case.calls[number].node in ran for number in made)
        if is_taught and not _is_compared(case, call):
            seen.add(call.where)
            yield _finding(case, call, by)


def _asks(case: Case, call: Call, name: str) -> bool:
    return name in case.tensors and asks_at(case, name, call)


def _is_compared(case: Case, call: Call) -> bool:
    """Whether something that is learnt is subtracted from what was drawn, or the other way round."""
    waiting, seen = list(call.users), set(call.users)
    for number in waiting:
        user = case.calls[number]
        if op(user) == "sub" and user.node is not None:
            return True
        if op(user) in JOINED:
            waiting += [each for each in user.users if each not in seen]
            seen |= set(user.users)
    return False


def _finding(case: Case, call: Call, by: list[str]) -> Finding:
    drawn = case.name(call.outputs[0].id)
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"No gradient gets from {drawn} back to {listed([case.name(name) for name in by])}.",
        cause=(Place(words="`.sample()` draws numbers, and records nothing", where=call.where),),
        remedy=of_sample(call), steps=(call.step,), parts=(call.outputs[0].id, *by),
    )  # fmt: skip
