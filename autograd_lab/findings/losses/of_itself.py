"""A loss that compares something with itself, `mse_loss(target, target)`: it is 0, whatever the model says."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.graphs.path import leads_to
from autograd_lab.findings.losses.handed_over import as_written, op

KIND = "loss-of-itself"
LOSSES = {"mseloss", "smoothl1loss", "huberloss"}


def find(case: Case) -> Iterator[Finding]:
    """The first such call of each line on the way to what a program goes back from."""
    roots = {root for each in case.passes for root in each.roots}
    seen = set()
    for call in case.calls:
        if call.node and is_of_itself(case, call) and call.where not in seen and leads_to(case, call, roots):
            seen.add(call.where)
            yield _finding(case, call)


def is_of_itself(case: Case, call: Call) -> bool:
    """Whether a call compares a tensor with the very same tensor: in a loss, or by a difference that is made one."""
    is_made_one = op(call) == "sub" and bool(call.users) and call.sources[:1] != (None,)
    if len(call.operands) != 2 or not (is_made_one or op(call) in LOSSES):
        return False
    return as_written(case, call, 0) == as_written(case, call, 1)


def _finding(case: Case, call: Call) -> Finding:
    name = case.name(as_written(case, call, 0))
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The loss compares {name} with itself: it is always 0, and so are its gradients.",
        cause=(Place(words=f"both sides are {name}", where=call.where),),
        remedy="Compare the output with the target: `loss(output, target)`.",
        steps=(call.step,), parts=call.operands[:1],
    )  # fmt: skip
