"""A gradient in the loss that was computed and not recorded: it counts as a constant, and its term teaches nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab.findings.case import Case, Pass, Tensor
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "gradient-not-recorded"
LINE = re.compile(r"([\w, ]+?)\s*=(?!=)\s*.*\bgrad\((.*)")


def find(case: Case) -> Iterator[Finding]:
    """Passes that keep their graph, since it is needed again, and whose gradient is a part of what comes next.

    A gradient with respect to weights may be meant as a number, and so may one that is detached.
    """
    seen = set()
    for each, after in zip(case.passes, case.passes[1:], strict=False):
        where = each.event.where
        if where is None or where in seen or each.event.create_graph or not each.event.retain_graph or not each.end:
            continue
        written = LINE.match(where.text)
        if written is None or _is_of_weights(case, written[2]):
            continue
        later = [p for p in case.passes[after.number :] if not p.ran.isdisjoint(each.ran)][:1]
        names = {name.strip() for name in written[1].split(",")}
        for name, tensor in case.tensors.items():
            if later and tensor.facts.name in names and _is_given(tensor, each) and _leads_to(case, tensor, later[0]):
                seen.add(where)
                yield _finding(case, each, later[0], name)
                break


def _is_of_weights(case: Case, arguments: str) -> bool:
    """Whether a call of grad() names a weight, or parameters, among what it is asked for."""
    learnt = {case.name(name) for name in case.given}
    words = set(re.findall(r"[\w.]+", arguments))
    return bool(learnt & words) or bool(re.search(r"param|weight", arguments))


def _is_given(tensor: Tensor, each: Pass) -> bool:
    """Whether a pass may have given a tensor: nobody made it, and it has no history."""
    return tensor.where is None and tensor.first_maker is None and not tensor.asks and tensor.step > (each.end or 0)


def _leads_to(case: Case, tensor: Tensor, later: Pass) -> bool:
    """Whether a tensor counts in what a pass began at, and was not taken out of its history on purpose."""
    waiting, seen = list(tensor.uses), set(tensor.uses)
    for number in waiting:
        call = case.calls[number]
        if call.step > later.step or call.is_detach or not call.with_grad:
            continue
        if call.node in later.roots:
            return True
        waiting += [user for user in call.users if user not in seen]
        seen |= set(call.users)
    return False


def _finding(case: Case, each: Pass, later: Pass, name: str) -> Finding:
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{case.name(name)} counts as a constant in the loss: grad() did not record how it was computed.",
        cause=(
            Place(words="retain_graph=True keeps the graph, and records nothing", where=each.event.where),
            Place(words="this pass learns nothing of it", where=later.event.where),
        ),
        remedy="Have the gradient recorded, `create_graph=True`; or take it for a constant on purpose: `.detach()`.",
        steps=(each.step, later.step), parts=(name,),
    )  # fmt: skip
