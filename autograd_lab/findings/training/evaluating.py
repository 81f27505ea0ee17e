"""model.eval() without model.train() after it: dropout and batch norms are off while training goes on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Case, ModuleCall
from autograd_lab.findings.finding import NOTE, WARNING, Finding, Place
from autograd_lab.findings.text import nodes, place

KIND = "training-in-eval-mode"
TYPES = (
    "Dropout",
    "AlphaDropout",
    "FeatureAlphaDropout",
    "BatchNorm",
    "SyncBatchNorm",
    "LazyBatchNorm",
    "InstanceNorm",
)
"""How the classes begin of modules that do something else in eval mode."""
CALLS = 2
"""So many calls in eval mode have to be trained by, and after them none in training mode."""

Called = tuple[ModuleCall, ModuleCall]
"""A call of a whole model, and the first of such a module in it."""


def find(case: Case) -> Iterator[Finding]:
    """Each model that is trained in eval mode to the end: after it was trained in training mode, a mistake."""
    by_model: dict[tuple[str | None, str], list[Called]] = {}
    for outer, modal in _modal_calls(case):
        if _is_trained(case, outer):
            by_model.setdefault((outer.event.root, outer.event.type), []).append((outer, modal))
    for calls in by_model.values():
        modes = [modal.event.training for _, modal in calls]
        if modes.count(False) >= CALLS and not any(modes[modes.index(False) :]):
            yield _finding(case, calls, calls[modes.index(False)])


def _modal_calls(case: Case) -> Iterator[Called]:
    """The calls of models that have such modules."""
    outer, is_told = None, False
    for each in case.modules:
        if not each.depth:
            outer, is_told = each, False
        if outer is not None and not is_told and each.event.type.startswith(TYPES):
            is_told = True
            yield outer, each


def _is_trained(case: Case, outer: ModuleCall) -> bool:
    """Whether a pass went back through a call, and the step after it changed what was used in that."""
    calls = case.calls[outer.first : outer.last]
    nodes = {call.node for call in calls}
    back = next((p for p in case.passes if p.step > outer.step and not p.ran.isdisjoint(nodes)), None)
    update = next((u for u in case.updates if back is not None and u.step > back.step), None)
    return update is not None and any(name in update.written for call in calls for name in call.operands)


def _finding(case: Case, calls: list[Called], first: Called) -> Finding:
    outer, modal = first
    name, kind = outer.event.root or "the model", modal.event.type
    is_late = calls[0] is not first
    switch = next((where for where in _switches(case, name)), None)
    off = "drops nothing" if "Dropout" in kind else "keeps its old statistics"
    return Finding(
        kind=KIND, severity=WARNING if is_late else NOTE,
        sentence=f"{name} is trained in eval mode{' after the first turns' * is_late}: {kind} {off}.",
        cause=(
            *([Place(words="switched to eval mode here", where=switch)] if switch is not None else []),
            Place(words="and called in eval mode here, to be trained", where=outer.event.where),
        ),
        remedy=f"Switch back before training goes on: `{name}.train()`.",
        steps=(outer.step,), parts=(),
    )  # fmt: skip


def _switches(case: Case, name: str) -> Iterator[Where]:
    """The lines that call `.eval()` of a model, or else of any."""
    found = []
    for file, text in case.files.items():
        for node in nodes(text, ast.Call) if ".eval()" in text else ():
            if isinstance(node.func, ast.Attribute) and node.func.attr == "eval":
                found.append((ast.unparse(node.func.value) != name, place(file, text, node)))
    yield from (where for _, where in sorted(found, key=lambda each: each[0]))
