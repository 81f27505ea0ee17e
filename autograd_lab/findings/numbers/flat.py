"""Gradients that are 0 because the way to the loss leads through steps: round(), floor() and sign() are flat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.code import bracketed
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import NOTE, WARNING, Finding, Place
from autograd_lab.findings.numbers.singular import base
from autograd_lab.trace.amounts import is_zero

KIND = "gradient-of-steps"
STRAIGHT = (
    "Go straight through it, `{what} + (torch.{op}({what}) - {what}).detach()`, or use something smooth in its place."
)
FLAT = ("round", "floor", "ceil", "trunc", "sign", "heaviside")


def find(case: Case) -> Iterator[Finding]:
    """Leaves whose gradient was 0 in all passes, and from which every way to a loss leads through such a call."""
    if not any(base(call.name) in FLAT and call.node is not None for call in case.calls):
        return
    roots = {root for each in case.passes for root in each.roots}
    groups: dict[int, list[str]] = defaultdict(list)
    for name, tensor in case.tensors.items():
        values = [change.value for change in case.grads.get(name, ()) if change.how in ("set", "added")]
        if values and all(is_zero(value) for value in values):
            step = _step_on_all_ways(case, name, tensor.uses, roots)
            if step is not None:
                groups[step.number].append(name)
    for number, names in groups.items():
        yield _finding(case, case.calls[number], names)
    if not groups:
        yield from _of_some_ways(case)


def _of_some_ways(case: Case) -> Iterator[Finding]:
    """Rounding through which a pass went in vain, while gradients come by other ways. What floor() cuts off, as the
    place of a number between others, mostly is a constant on purpose."""
    ran = set().union(*(each.ran for each in case.passes)) if case.passes else set()
    call = next((c for c in case.calls if base(c.name) == "round" and c.node in ran), None)
    if call is not None:
        what = bracketed(case.name(call.operands[0])) if call.operands else "x"
        yield Finding(
            kind=KIND, severity=NOTE,
            sentence="No gradient gets past round(): what is before it learns by other paths alone.",
            cause=(Place(words="round() goes in steps, and between them its slope is 0", where=call.where),),
            remedy=STRAIGHT.format(op="round", what=what), steps=(call.step,), parts=(call.node or "",),
        )  # fmt: skip


def _step_on_all_ways(case: Case, tensor: str, uses: list[int], roots: set[str]) -> Call | None:
    """The first flat call that is met, if no way gets to a root without one."""
    waiting, seen, met = list(uses), set(uses), None
    for number in waiting:
        call = case.calls[number]
        if base(call.name) in FLAT:
            met = met or call
        elif call.node in roots:
            return None
        elif call.node is not None:
            waiting += [user for user in call.users if user not in seen]
            seen |= set(call.users)
    return met


def _finding(case: Case, call: Call, names: list[str]) -> Finding:
    op = base(call.name)
    what = bracketed(case.name(call.operands[0])) if call.operands else "x"
    return Finding(
        kind=KIND, severity=WARNING if case.given & set(names) or not case.updates else NOTE,
        sentence=f"The gradient of {together(map(case.name, names))} is always 0: it comes through {op}().",
        cause=(Place(words=f"{op}() goes in steps, and between them its slope is 0", where=call.where),),
        remedy=STRAIGHT.format(op=op, what=what),
        steps=(call.step,), parts=(*names, call.node or ""),
    )  # fmt: skip
