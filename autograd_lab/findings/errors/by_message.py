"""Errors whose message says nearly all: what it means, and what to write instead, with the tensor by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.findings.case import Case
from autograd_lab.findings.finding import ERROR, Finding, Place

KNOWN = {
    "grad can be implicitly created only for scalar outputs": (
        "backward-of-many-numbers",
        "backward() wants one number to begin at, and {x} has the shape {shape}.",
        "Make it one: `{x}.mean().backward()`; or say how much each counts: `{x}.backward(torch.ones_like({x}))`.",
    ),
    "a leaf Variable that requires grad is being used in an in-place": (
        "leaf-written",
        "{x} is a leaf that asks for a gradient, and is written to in place.",
        "Update it under `with torch.no_grad():`, or write to a copy: `{x}.clone()`.",
    ),
    "a view of a leaf Variable that requires grad is being used in an in-place": (
        "leaf-written",
        "A view of a leaf that asks for a gradient is written to in place.",
        "Write under `with torch.no_grad():`, or to a copy of the leaf: `.clone()`.",
    ),
    "appears to not have been used in the graph": (
        "input-not-in-graph",
        "grad() is asked for the gradient with respect to a tensor that the output does not depend on.",
        "Ask for what is in the graph, or take None for it: `allow_unused=True`.",
    ),
    "One of the differentiated Tensors does not require grad": (
        "input-does-not-ask",
        "grad() is asked for the gradient with respect to a tensor that does not require one.",
        "Call `requires_grad_()` on it before the forward pass.",
    ),
    "Mismatch in shape: grad_output[0]": (
        "seed-of-another-shape",
        "The gradient given to backward() has another shape than the tensor it begins at.",
        "Give one number for each of the output: `torch.ones_like(y)`, or weights of its shape.",
    ),
    "Expected more than 1 value per channel when training": (
        "batch-of-one",
        "BatchNorm cannot normalize a batch of one: a single number has no variance.",
        "Leave out the last, smaller batch: `DataLoader(..., drop_last=True)`; or call `model.eval()` to predict.",
    ),
    "Can't call numpy() on Tensor that requires grad": (
        "numpy-of-a-recorded-tensor",
        "{x} is part of a graph, of which numpy knows nothing.",
        "Take its numbers alone: `{x}.detach().numpy()`.",
    ),
    "Inference tensors cannot be saved for backward": (
        "inference-tensor-in-a-graph",
        "A tensor made under inference_mode() is used in a graph.",
        "Make it under `torch.no_grad()`, or use a copy: `.clone()` outside of inference_mode().",
    ),
    "Inplace update to inference tensor outside InferenceMode": (
        "inference-tensor-in-a-graph",
        "A tensor made under inference_mode() is written to outside of it.",
        "Make it under `torch.no_grad()`, or write to a copy: `.clone()`.",
    ),
    "you can only change requires_grad flags of leaf variables": (
        "not-a-leaf",
        "requires_grad can be set only for leaves, and this tensor was computed.",
        "To cut its history off: `{x} = {x}.detach()`; to freeze a layer, set it for its parameters.",
    ),
    "Only Tensors created explicitly by the user": (
        "copy-of-a-computed-tensor",
        "deepcopy is for leaves, and {x} was computed.",
        "Copy its numbers: `{x}.detach().clone()`.",
    ),
}
"""What messages say: the kind of the finding, the sentence, what to do."""


def find(case: Case) -> Iterator[Finding]:
    """Each error that is known by its message."""
    for step, event in case.errors:
        known = max((message for message in KNOWN if message in event.message), key=len, default=None)
        if known is not None:
            yield _finding(case, step, event, *KNOWN[known])


NAMED = re.compile(r"([\w.]+)\.(?:numpy|backward)\(|deepcopy\(([\w.]+)\)|([\w.]+)\.requires_grad(?:_\(|\s*=)")


def _named_on(where: e.Where | None) -> str | None:
    """What a line calls the tensor that it asks for what cannot be."""
    found = None if where is None else NAMED.search(where.text)
    return None if found is None else next(name for name in found.groups() if name)


def _finding(case: Case, step: int, event: e.ErrorRaised, kind: str, sentence: str, remedy: str) -> Finding:
    tensor = case.tensors.get(event.tensor or "")
    name = (tensor.facts.name if tensor is not None else None) or _named_on(event.where)
    shape = list(tensor.facts.shape) if tensor is not None else "of several numbers"
    cause = [Place(words="it was raised here", where=event.where)]
    if tensor is not None and tensor.where not in (None, event.where) and not kind.startswith("input-"):
        made = "was computed" if tensor.maker is not None else "was made"
        cause.append(Place(words=f"{name or 'the tensor'} {made} here", where=tensor.where))
    return Finding(
        kind=kind, severity=ERROR, sentence=sentence.format(x=name or "a tensor", shape=shape), cause=tuple(cause),
        remedy=remedy.format(x=name or ("loss" if kind == "backward-of-many-numbers" else "t")),
        steps=(step,), parts=(event.tensor,) if event.tensor else (),
    )  # fmt: skip
