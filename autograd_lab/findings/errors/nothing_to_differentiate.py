"""backward() from a tensor without a history: `element 0 of tensors does not require grad`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.events import Where
from autograd_lab.findings.case import Call, Case, ModuleCall
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import ERROR, Finding, Place
from autograd_lab.findings.graphs.path import (
    OF_CHECKPOINT,
    WHOLE,
    Cut,
    asks_at,
    cut_at,
    cuts_behind,
    is_reentrant_checkpoint,
)
from autograd_lab.findings.graphs.tensor_of_tensors import REMEDY as JOIN
from autograd_lab.findings.graphs.tensor_of_tensors import WORDS as OF_COPIES
from autograd_lab.findings.graphs.tensor_of_tensors import place_of_copy
from autograd_lab.findings.losses.of_itself import is_of_itself

KIND = "nothing-to-differentiate"
MESSAGE = "does not require grad and does not have a grad_fn"
REMEDIES = {
    "detached": "Leave it out of the path to the loss: gradients go only through what was recorded.",
    "no-grad": "Compute what leads to the loss outside of `torch.no_grad()`.",
    "whole-numbers": "Use something smooth in its place: softmax for argmax, sigmoid for a comparison.",
    "unrecorded": "Use something differentiable in its place.",
}


def find(case: Case) -> Iterator[Finding]:
    """Each error that says so."""
    for step, event in case.errors:
        if MESSAGE in event.message:
            yield _finding(case, step, event)


def _finding(case: Case, step: int, event: e.ErrorRaised) -> Finding:
    tensor = event.tensor or ""
    name = case.name(tensor) if tensor else "what backward() begins at"
    known = case.tensors.get(tensor)
    made = None if known is None or known.maker is None else case.calls[known.maker]
    cuts = [] if made is None else cuts_behind(case, made)
    cause: tuple[Place, ...]
    if (gradient := _of_a_gradient(case, tensor, made, event)) is not None:
        cause, remedy = (gradient,), _recorded(gradient)
    elif (checkpoint := _checkpoint(case, tensor, made)) is not None:
        cause = (Place(words="this checkpoint records only if an input asks for a gradient", where=checkpoint),)
        remedy = OF_CHECKPOINT
    elif cuts:
        cause, remedy = cuts[0].places, cuts[0].remedy or REMEDIES[cuts[0].kind]
    else:
        cause, remedy = _without(case, made, tensor)
    return Finding(
        kind=KIND, severity=ERROR, sentence=f"{name} has no history, so there is nothing to go back through.",
        cause=(*cause, Place(words=f"{_asked(event)} was to begin here", where=event.where)), remedy=remedy,
        steps=(step, *(cut.call.step for cut in cuts[:1])), parts=(tensor,) if tensor else (),
    )  # fmt: skip


def _asked(event: e.ErrorRaised) -> str:
    text = "" if event.where is None else event.where.text
    return "grad()" if re.search(r"\bgrad\(", text) and ".backward(" not in text else "backward()"


def _checkpoint(case: Case, tensor: str, made: Call | None) -> Where | None:
    """The line of a reentrant checkpoint that a tensor was made by."""
    calls = [] if made is None else case.ancestors(made)
    named = [case.tensors[name].where for call in calls for name in call.operands if name in case.tensors]
    lines = [*named, *(call.where for call in calls), *([case.tensors[tensor].where] if tensor in case.tensors else [])]
    return next((where for where in lines if is_reentrant_checkpoint(where)), None)


def _of_a_gradient(case: Case, tensor: str, made: Call | None, event: e.ErrorRaised) -> Place | None:
    """Where a gradient came from that was computed without being recorded, if that is all that a tensor is made of."""
    names = [tensor] if made is None else [name for call in case.ancestors(made) for name in call.operands]
    for name in names:
        if (leaf := case.grad_of.get(name)) is not None:
            words = f"{case.name(leaf)}.grad has no history: the pass that brought it was not recorded"
            passed = next((p.event.where for p in reversed(case.passes) if leaf in p.received), None)
            return Place(words=words, where=passed)
        known = case.tensors.get(name)
        if known is not None and known.where is None and known.maker is None and known.facts.name and event.where:
            assigned = re.compile(rf"\b{re.escape(known.facts.name)}\b[^=]*=[^=].*\bgrad\((?!.*create_graph)")
            lines = case.files.get(event.where.file, "").splitlines()[: event.where.line]
            for number, line in reversed(list(enumerate(lines, 1))):
                if assigned.search(line):
                    where = Where(file=event.where.file, line=number, text=line.strip())
                    return Place(words="grad() records nothing unless it is told to", where=where)
    return None


PASS = re.compile(r"([\w.]+)\.backward\(\)")
OF_LEAF = re.compile(r"([\w.]+)\.grad has")


def _recorded(gradient: Place) -> str:
    """How to have the pass recorded that brought a gradient; one of backward() is better asked for by grad()."""
    root = None if gradient.where is None else PASS.search(gradient.where.text)
    leaf = OF_LEAF.match(gradient.words)
    if root is None or leaf is None:
        return "Have the first pass recorded as well: `create_graph=True`."
    return (
        f"Ask for it by grad(), recorded: `(slope,) = torch.autograd.grad({root[1]}, {leaf[1]}, create_graph=True)`, "
        f"and compute of `slope`."
    )


def _without(case: Case, made: Call | None, tensor: str) -> tuple[tuple[Place, ...], str]:
    """Nothing that it was made of asks for a gradient: which leaf should?"""
    if made is None:
        where = case.tensors[tensor].where if tensor in case.tensors else None
        if where is None:
            return (), "Begin at what was computed of tensors that ask for a gradient."
        return (
            Place(words="it was made of numbers, not computed", where=where),
        ), "Call backward() on what was computed."
    if (itself := next((c for c in case.ancestors(made) if is_of_itself(case, c)), None)) is not None:
        words = f"both sides are {case.name(itself.operands[0])}, which leads back to nothing"
        return (Place(words=words, where=itself.where),), "Compare the output with the target: `loss(output, target)`."
    if (copy := place_of_copy(case, made)) is not None:
        return (Place(words=OF_COPIES, where=copy),), JOIN
    if (model := _left_out(case, made)) is not None:
        if (lost := _taken_out(case, model, made)) is not None:
            return (Place(words=lost.words, where=lost.call.where),), lost.remedy or REMEDIES["detached"]
        words = f"what {model.event.root or 'the model'} gives is not in it"
        remedy = "Compute the loss of the output and the target: `loss(output, target)`."
        return (
            Place(words=words, where=made.where),
            Place(words="it is computed here", where=model.event.where),
        ), remedy
    ends = [name for call in case.ancestors(made) for name in call.operands if _is_leaf(case, name)]
    frozen = [
        name
        for name in case.tensors
        if name in ends and (case.tensors[name].switched or case.tensors[name].is_parameter)
    ]
    others = [name for name in dict.fromkeys(reversed(ends)) if not DATA.fullmatch(case.name(name))]
    names = together(case.name(name) for name in frozen or others or dict.fromkeys(reversed(ends)))
    words = "nothing that it was computed from asks for a gradient"
    if not ends:
        return (Place(words=words, where=made.where),), "It does not depend on what you ask for: its gradient is zero."
    if frozen:
        where = (case.tensors[frozen[0]].switched or (None, 0))[0]
        remedy = f"Let what is to be learnt ask for a gradient: `requires_grad_(True)` for {names}."
        return (Place(words=words, where=where or made.where),), remedy
    remedy = f"Make what is to be learnt with `requires_grad=True` ({names or 'the leaves'}), and compute anew."
    leaf = next((case.tensors[name] for name in reversed(ends) if name in others), None)
    of = [] if leaf is None else [Place(words=f"{case.name(leaf.facts.id)} was made here", where=leaf.where)]
    return (Place(words=words, where=made.where), *of), remedy


def _left_out(case: Case, made: Call) -> ModuleCall | None:
    """The last recorded call of a module before a result that it is no part of."""
    recorded = (each for each in reversed(case.modules) if not each.depth and each.last <= made.number)
    return next((m for m in recorded if any(call.node for call in case.calls[m.first : m.last])), None)


def _taken_out(case: Case, model: ModuleCall, made: Call) -> Cut | None:
    """Where the output of a model was detached, to go on with its numbers alone."""
    calls = [c for c in case.calls[model.first : made.number] if c.is_detach and c.step > model.step]
    behind = (c for c in calls if c.sources[:1] != (None,) and c.operands and asks_at(case, c.operands[0], c))
    return next((cut for c in behind if (cut := cut_at(case, c, c.operands[0])) is not None), None)


DATA = re.compile(r"(x|y|xs|ys|inputs?|data|targets?|labels?|features?|images?|batch)\d*", re.I)
"""What one calls what is given and not learnt."""


def _is_leaf(case: Case, name: str) -> bool:
    return (
        name in case.tensors
        and case.tensors[name].maker is None
        and not case.tensors[name].facts.dtype.startswith(WHOLE)
    )
