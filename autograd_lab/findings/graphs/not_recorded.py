"""A gradient in the loss that was computed and not recorded: it counts as a constant, and its term teaches nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case, Pass, Tensor
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.losses.handed_over import op

KIND = "gradient-not-recorded"
KEPT = "retain_graph=True keeps the graph, and records nothing"
UNKEPT = "grad() records nothing of its own"
LINE = re.compile(r"([\w, ]+?)\s*=(?!=)\s*.*\bgrad\((.*)")


def find(case: Case) -> Iterator[Finding]:
    """Passes whose gradient, not recorded, is a part of what comes next: what that goes back through again, so that
    the graph was kept for it; or a term of its own, which is only added to a loss.

    A gradient with respect to weights may be meant as a number, and so may one that is detached.
    """
    seen = set()
    for each in case.passes:
        where = each.event.where
        if where is None or where in seen or each.event.create_graph or not each.end:
            continue
        written = LINE.match(where.text)
        if written is None or _is_of_weights(case, written[2]):
            continue
        names = {name.strip() for name in written[1].split(",")}
        given = [name for name, each_of in case.tensors.items() if each_of.facts.name in names]
        for name in (name for name in given if _is_given(case.tensors[name], each)):
            if (later := _later(case, case.tensors[name], each)) is not None:
                seen.add(where)
                yield _finding(case, each, later, name)
                break


def _later(case: Case, tensor: Tensor, each: Pass) -> Pass | None:
    """The pass that what another pass gave is a part of, and that learns nothing of it."""
    after = case.passes[each.number + 1 :]
    again = next((p for p in after if each.event.retain_graph and not p.ran.isdisjoint(each.ran)), None)
    if again is not None and _leads_to(case, tensor, again):
        return again
    return next((p for p in after if _is_a_term_of(case, tensor, p)), None)


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


def _is_a_term_of(case: Case, tensor: Tensor, later: Pass) -> bool:
    """Whether all that comes of a tensor, a number at last, is added to what a pass began at: alone it teaches nothing
    at all, while as a part of inputs, of weights or of a factor it may be meant so."""
    waiting, seen = list(tensor.uses), set(tensor.uses)
    for number in waiting:
        call = case.calls[number]
        if call.step > later.step or call.is_detach or not call.with_grad:
            continue
        if call.node is None:
            waiting += [user for user in call.users if user not in seen]
            seen |= set(call.users)
        elif op(call) in SUMS and not call.outputs[0].shape and _begins_at(case, call, later):
            return True
    return False


SUMS = {"add", "sub"}


def _begins_at(case: Case, call: Call, later: Pass) -> bool:
    """Whether a pass begins at a sum, to which other numbers may be added, or by which it is divided, as losses are."""
    while call.node not in later.roots:
        users = [case.calls[user] for user in call.users if case.calls[user].node is not None]
        if len(users) != 1 or users[0].outputs[0].shape:
            return False
        call = users[0]
    return True


def _finding(case: Case, each: Pass, later: Pass, name: str) -> Finding:
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{case.name(name)} counts as a constant in the loss: grad() did not record how it was computed.",
        cause=(
            Place(words=KEPT if each.event.retain_graph else UNKEPT, where=each.event.where),
            Place(words="this pass learns nothing of it", where=later.event.where),
        ),
        remedy="Have the gradient recorded, `create_graph=True`; or take it for a constant on purpose: `.detach()`.",
        steps=(each.step, later.step), parts=(name,),
    )  # fmt: skip
