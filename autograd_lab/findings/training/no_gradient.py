"""Parameters that got no gradient, each with its cause; those with the same cause are told together."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograd_lab import events as e
from autograd_lab.findings.case import Case, Pass, Tensor
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import NOTE, WARNING, Finding, Place
from autograd_lab.findings.graphs.loss_is_a_leaf import begins_at_new_leaves
from autograd_lab.findings.graphs.path import OF_PARAMETER, first_cut
from autograd_lab.findings.graphs.tensor_of_tensors import copied
from autograd_lab.findings.text import nodes, place
from autograd_lab.findings.training.not_optimized import has_replaced

Cause = tuple[str, tuple[Place, ...], str]
"""Kind, what happened, and remedy."""
NONE_SENT = "none-sent"
NOT_USED = "to not have been used in the graph"
OF_DDP = " DistributedDataParallel stops at what gets no gradient"
UNUSED = ", unless it has `find_unused_parameters=True`"
MADE_A_LEAF = re.compile(r"\bParameter\(")
OF_COPY = (
    "What a copy learns, it learns alone. Call {0} itself, with the weights that were learnt from its own, "
    "`torch.func.functional_call({0}, weights, inputs)`; or hand the gradients over: `p.grad = copied.grad`."
)
LOST = {
    "detached": "Leave it out of the path to the loss.",
    "no-grad": "Compute it outside of `torch.no_grad()`.",
    "whole-numbers": "Use something smooth in its place: softmax for argmax, sigmoid for a comparison.",
    "unrecorded": "Use something differentiable in its place.",
}


def find(case: Case) -> Iterator[Finding]:
    """After all passes: what was to be learnt, and got nothing; and what is frozen, as a note."""
    passes = [each for each in case.passes if each.end is not None]
    if not passes or len(begins_at_new_leaves(case)) == len(passes) or NOT_USED in str(case.errors):
        return  # which says why
    received = set().union(*(each.received for each in passes)) | _assigned(case)
    roots = {root for each in passes for root in each.roots}
    told = copied(case)
    found = [
        (name, _cause(case, name, tensor, _roots_for(case, name) or roots))
        for name, tensor in case.tensors.items()
        if name not in received and tensor.facts.name not in told and _is_to_be_learnt(case, name, tensor)
    ]
    yield from _together(case, found)


def _assigned(case: Case) -> set[str]:
    """What the program itself gave a gradient to: `p.grad = g`."""
    return {name for name, changes in case.grads.items() if any(change.how in ("set", "found") for change in changes)}


def from_passes(case: Case, names: Iterable[str], passes: Iterable[Pass]) -> Iterator[Finding]:
    """Why these passes bring no gradient to what they were to bring one to, whatever others bring."""
    roots = {root for each in passes for root in each.roots}
    tensors = {name: case.tensors[name] for name in names if name in case.tensors and case.tensors[name].uses}
    yield from _together(case, [(name, _cause(case, name, tensor, roots)) for name, tensor in tensors.items()])


def _together(case: Case, causes: list[tuple[str, tuple[Cause, int]]]) -> Iterator[Finding]:
    """A finding for all that have the same cause."""
    groups: dict[Cause, list[tuple[str, int]]] = defaultdict(list)
    for name, (why, step) in causes:
        groups[why].append((name, step))
    for (kind, cause, remedy), found in groups.items():
        names = tuple(name for name, _ in found)
        if kind == NONE_SENT and case.given.isdisjoint(names):
            continue  # grad() may have been asked for the gradients of others
        if case.is_stopped_early and kind not in ("frozen", "unused"):
            continue  # a gradient may have come in the pass that there was not
        if kind == "no-grad" and case.given and case.given.isdisjoint(names):
            continue  # a model that nobody is to train, such as an average of another one
        if kind == "unused" and not case.given.isdisjoint(names) and has_replaced(case):
            continue  # it was replaced, of which is told with what replaced it
        yield Finding(
            kind=f"no-gradient-{kind}", severity=_severity(case, kind, names),
            sentence=f"No gradient reaches {together(map(case.name, names))}.",
            cause=cause, remedy=remedy, steps=(found[0][1],), parts=names,
        )  # fmt: skip


def _roots_for(case: Case, name: str) -> set[str]:
    """What was gone back from last before the steps that were to use the gradient."""
    steps = [update.step for update in case.updates if name in update.event.parameters]
    last = (next((p for p in reversed(case.passes) if p.step < step and p.outer is None), None) for step in steps)
    return {root for each in last if each is not None for root in each.roots}


def _is_to_be_learnt(case: Case, name: str, tensor: Tensor) -> bool:
    """Whether something is a parameter, of a module or an optimizer, or a leaf that asks for a gradient."""
    if tensor.first_maker is not None or tensor.maker is not None or name in case.grad_of:
        return False
    if not tensor.facts.name and tensor.where is None:
        return False  # nobody could say which it is
    return tensor.asks or tensor.is_parameter or name in case.handed


def _cause(case: Case, name: str, tensor: Tensor, roots: set[str]) -> tuple[Cause, int]:
    """Why a tensor got no gradient, and the step at which that shows."""
    if not tensor.asks:
        where, step = tensor.switched or (tensor.where, tensor.step)
        words = "requires_grad was set to False" if tensor.switched else "it was made with requires_grad=False"
        return _one("frozen", words, "If it is to be learnt: `requires_grad_(True)`.", where), step
    if not tensor.uses:
        root = case.name(name).removeprefix("the parameters of ").partition(".")[0]
        if name in case.given and (copied := _copied_at(case, root)) is not None:
            return _one("unused", "only a copy of it is used", OF_COPY.format(root), copied), tensor.step
        words = "it was not used in any computation"
        remedy = f"Use it in forward(), or leave it out.{_of_ddp(case, name, UNUSED)}"
        return _one("unused", words, remedy, tensor.where), tensor.step
    uses = _in_training(case, tensor.uses)
    cut, is_reached = first_cut(case, name, uses, roots)
    if is_reached:
        last = case.calls[uses[-1]]
        name = last.name.removesuffix("Backward")
        remedy = "Return its gradient there: one for each input of forward(), in order."
        line = _return_of(case, name) or last.where
        return _one(NONE_SENT, f"backward() of {name} returns None for it", remedy, line), last.step
    if cut is None:
        last = case.calls[uses[-1]]
        if last.where is not None and MADE_A_LEAF.search(last.where.text):
            words = "`Parameter()` makes a new leaf of numbers alone"
            return _one("detached", words, OF_PARAMETER, last.where), last.step
        remedy = f"Add what it computes to the loss, or do not compute it.{_of_ddp(case, name)}"
        return _one("other-way", "what it computes is no part of the loss", remedy, last.where), last.step
    return (cut.kind, cut.places, cut.remedy or LOST[cut.kind]), cut.call.step


def _one(kind: str, words: str, remedy: str, where: e.Where | None) -> Cause:
    return kind, (Place(words=words, where=where),), remedy


def _copied_at(case: Case, model: str) -> e.Where | None:
    """The line at which a model is copied."""
    for file, text in case.files.items():
        for node in nodes(text, ast.Call) if "deepcopy(" in text else ():
            if ast.unparse(node.func).endswith("deepcopy") and [ast.unparse(each) for each in node.args[:1]] == [model]:
                return place(file, text, node)
    return None


def _of_ddp(case: Case, name: str, unless: str = "") -> str:
    """What DistributedDataParallel makes of a parameter of a module without a gradient."""
    return f"{OF_DDP}{unless}." if case.tensors[name].is_parameter and "." in case.name(name) else ""


def _return_of(case: Case, name: str) -> e.Where | None:
    """The line at which a custom Function of the program returns from its backward()."""
    for file, text in case.files.items():
        if f"class {name}(" not in text:
            continue
        made = (n for n in nodes(text, ast.ClassDef) if n.name == name)
        back = (n for one in made for n in one.body if isinstance(n, ast.FunctionDef) and n.name == "backward")
        for node in (n for one in back for n in ast.walk(one) if isinstance(n, ast.Return)):
            return place(file, text, node)
    return None


def _in_training(case: Case, uses: list[int]) -> list[int]:
    """Those of the calls that were meant to be gone back through: not what evaluation runs under no_grad."""
    end = max(each.step for each in case.passes)
    uses = [number for number in uses if not case.calls[number].is_detach] or uses  # as its average is updated
    recorded = [number for number in uses if case.calls[number].with_grad]
    return [number for number in recorded if case.calls[number].step < end] or recorded or uses


def _severity(case: Case, kind: str, names: tuple[str, ...]) -> str:
    """What an optimizer was given, and never gets a gradient, is a mistake; all else may be meant."""
    if kind == "frozen" or (case.is_part and kind not in LOST):
        return NOTE  # what is not told of may have used it
    if any(name in case.given for name in names):
        return WARNING
    return NOTE
