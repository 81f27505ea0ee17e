"""A saved value that was written over between forward and backward."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.findings.case import ASSIGNED, Case, Write
from autograd_lab.findings.code import complete, out_of_place
from autograd_lab.findings.errors.named import SEEN
from autograd_lab.findings.errors.second_backward import detached
from autograd_lab.findings.finding import ERROR, Finding, Place
from autograd_lab.findings.noted import spoken

KIND = "saved-value-overwritten"
MESSAGE = "one of the variables needed for gradient computation has been modified by an inplace operation"


def find(case: Case) -> Iterator[Finding]:
    """Each error that says so."""
    for step, event in case.errors:
        if event.message.startswith(MESSAGE):
            yield _finding(case, step, event)


def _finding(case: Case, step: int, event: e.ErrorRaised) -> Finding:
    found = _overwritten(case, event.node or "", step)
    if found is None:
        return Finding(
            kind=KIND, severity=ERROR, sentence="backward() needs a value that was overwritten since it was saved.",
            cause=(Place(words="backward stopped here", where=event.where),),
            remedy="Use out-of-place operations, or write to a copy: `.clone()`.", steps=(step,),
        )  # fmt: skip
    (at, saved), writes = found
    tensor, (first, *more) = saved.tensor or "", writes
    call = case.call_of[saved.node]
    name = _needed(case, tensor, saved, first)
    words = "and here" if len(more) == 1 else f"and {len(more)} times more, last here"
    again = [Place(words=words, where=more[-1].event.where)] if more else []
    return Finding(
        kind=KIND, severity=ERROR,
        sentence=f"backward() needs {name} as it was when it was saved, but it has been overwritten since.",
        cause=(
            Place(words="overwritten here", where=first.event.where),
            *again,
            Place(words=f"saved by {case.module_of(call) or spoken(call.name)} for its backward", where=saved.where),
            *_keeping(case, saved.node, step),
        ),
        remedy=_again(case, saved.node, step) or _remedy(case, tensor, first, saved.where),
        steps=(step, first.step, at), parts=(saved.node, tensor),
    )  # fmt: skip


def _needed(case: Case, tensor: str, saved: e.TensorSaved, write: Write) -> str:
    """What a saved value is called: the weight of which a view was saved; what a layer gave, if it saved that."""
    name = case.name(tensor)
    if write.update is not None:
        return name.removeprefix(SEEN)
    module = case.module_of(case.call_of[saved.node])
    return f"what {module} gave" if saved.slot == "result" and module and name.startswith("a tensor") else name


def _overwritten(case: Case, node: str, step: int) -> tuple[tuple[int, e.TensorSaved], list[Write]] | None:
    """What a node saved that was written to before a step, with the writes."""
    for at, saved in case.saved.get(node, ()):
        tensor = case.tensors.get(saved.tensor or "")
        if tensor is not None:
            counter = tensor.facts.counter
            writes = [w for w in case.touches[tensor.facts.storage] if at < w.step < step and w.counter == counter]
            if writes:
                return (at, saved), writes
    return None


def _again(case: Case, node: str, step: int) -> str | None:
    """What to do where a pass from the same line went through the node before, whose graph is carried over."""
    now = case.pass_at(step) or (case.passes[-1] if case.passes else None)
    before = next((p for p in case.passes if p is not now and node in p.ran), None)
    if now is None or before is None or now.event.where != before.event.where or set(now.roots) == set(before.roots):
        return None
    made = case.call_of[node]
    if not any(call.step > before.step and call.where == made.where for call in case.calls):
        return None
    kept = ", and leave `retain_graph=True` out" if before.event.retain_graph else ""
    return f"{detached(case, now.step).removesuffix('.')}{kept}."


def _keeping(case: Case, node: str, step: int) -> list[Place]:
    """The pass before that went through the node and kept what it had saved, where that brings it to this one."""
    if _again(case, node, step) is None:
        return []
    before = next((p for p in reversed(case.passes) if node in p.ran and p.end is not None), None)
    if before is None or not before.event.retain_graph:
        return []
    words = "and kept by retain_graph=True, though its turn was over"
    return [Place(words=words, where=before.event.where)]


IN_PLACE = ("relu", "leaky_relu", "elu", "selu", "celu", "hardtanh", "hardswish", "silu", "mish", "threshold")
"""What layers do that are made with `inplace=True`."""
BY_INDEX = re.compile(r"([\w.]+)\[.*\]\s*[-+*/]?=(?!=)")


def _layer_of(case: Case, op: str, write: Write) -> str:
    """The layer that writes: the last one of its kind that was entered before."""
    kind = op.replace("_", "")
    entered = (m for m in reversed(case.modules) if m.step < write.step and m.event.type.lower() == kind)
    layer = next((m for m in entered if m.event.module), None)
    return f"the layer that writes, which is {op}" if layer is None else f"{layer.path}, a {layer.event.type}"


def _remedy(case: Case, tensor: str, write: Write, saved: e.Where | None) -> str:
    if write.update is not None:
        again = f": `{saved.text}`" if saved is not None and ASSIGNED.match(saved.text) and complete(saved.text) else ""
        return f"Call backward() before the optimizer's step(), or run the forward pass again after it{again}."
    where = write.event.where
    by_index = None if where is None else BY_INDEX.match(where.text)
    if where is not None and where == saved:  # a copy that is made before is written to as well
        op = spoken(write.event.op).rstrip("_")
        if op in IN_PLACE and f"{op}_" not in where.text:
            return f"Leave `inplace=True` out of {_layer_of(case, op, write)}."
        if by_index is None:
            return "Use the out-of-place operation there: it makes a new tensor."
        whole = by_index[1]
        return (
            f"Keep the parts in a list and join them, `{whole} = torch.stack(parts)`; or compute of a copy of what "
            f"is read: `{whole}[...].clone()`."
        )
    name = case.tensors[tensor].facts.name or (by_index[1] if by_index is not None else None)
    line = "" if where is None else f" before line {where.number}"
    copy = f"`{name} = {name}.clone()`" if name is not None else "`.clone()`"
    if write.event.op.rstrip("_") == "copy" or case.tensors[tensor].facts.storage in case.given_storages:
        return f"Go back first, and write afterwards; or keep a copy: {copy}{line}."
    if name is None:
        return f"Use the out-of-place operation there, or write to a copy that is made{line}: `.clone()`."
    code = None if where is None else out_of_place(where.text)
    out = "Use the out-of-place operation there" if code is None else f"Make a new tensor there, `{code}`"
    return f"{out}; or write to a copy: `{name} = {name}.clone()`{line}."
