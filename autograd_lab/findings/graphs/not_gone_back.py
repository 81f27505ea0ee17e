"""Graphs that are recorded and never gone back through: `eval()` is not `no_grad()`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Call, Case, ModuleCall
from autograd_lab.findings.finding import NOTE, Finding, Place
from autograd_lab.findings.training import step_order

KIND = "graph-never-used"
EVAL = ": eval() switches off dropout, not recording"


def find(case: Case) -> Iterator[Finding]:
    """Lines at which a model is called and recorded, and whose graphs no pass runs through, though there are passes."""
    ran = set().union(*(each.ran for each in case.passes)) if case.passes else set()
    if not ran or case.is_stopped_early or any(each.kind == step_order.STALE for each in step_order.find(case)):
        return
    received = set().union(*(each.received for each in case.passes))
    by_line: dict[Where, list[tuple[ModuleCall, list[Call]]]] = defaultdict(list)
    for each in case.modules:
        if not each.depth and each.event.where is not None and case.pass_at(each.step) is None:
            by_line[each.event.where].append((each, [c for c in case.calls[each.first : each.last] if c.node]))
    for where, found in by_line.items():
        nodes = [call.node or "" for _, calls in found for call in calls]
        learnt = case.given & {name for _, calls in found for call in calls for name in call.operands}
        if nodes and ran.isdisjoint(nodes) and (not learnt or learnt & received):  # else it lacks a pass, not no_grad
            saved = sum(saved.nbytes for node in nodes for _, saved in case.saved.get(node, ()))
            yield Finding(
                kind=KIND, severity=NOTE,
                sentence=f"{found[0][0].event.root or 'The model'} is recorded here, and no backward() follows: "
                f"{saved:,} bytes are saved for nothing.",
                cause=(Place(words="this is recorded" + EVAL * (not found[0][0].event.training), where=where),),
                remedy="Predict under `with torch.no_grad():`.",
                steps=(found[0][0].step,), parts=tuple(nodes[-1:]),
            )  # fmt: skip
