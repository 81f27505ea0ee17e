"""Errors whose message says nearly all: what it means, and what to write instead, with the tensor by its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.findings.case import Case
from autograd_lab.findings.errors.named import called, failed_in, subject_of
from autograd_lab.findings.finding import ERROR, Finding, Place

KNOWN = {
    "grad can be implicitly created only for scalar outputs": (
        "backward-of-many-numbers",
        "backward() wants one number to begin at, and {x} has the shape {shape}.",
        "Make it one: `{x}.mean().backward()`; or say how much each counts: `{x}.backward(torch.ones_like({x}))`.",
    ),
    "a leaf Variable that requires grad is being used in an in-place": (
        "leaf-written",
        "{x} is a leaf that asks for a gradient, so it may not be written to in place.",
        "Update it under `with torch.no_grad():`, or write to a copy with a name of its own: `new = {x}.clone()`.",
    ),
    "a view of a leaf Variable that requires grad is being used in an in-place": (
        "leaf-written",
        "{x} is a leaf that asks for a gradient, so no view of it may be written to in place.",
        "Write under `with torch.no_grad():`, or to a copy with a name of its own: `new = {x}.clone()`.",
    ),
    "appears to not have been used in the graph": (
        "input-not-in-graph",
        "The output does not depend on {x}, for whose gradient grad() is asked.",
        "Ask only for what the output is computed from, or take None for {x}: `allow_unused=True`.",
    ),
    "One of the differentiated Tensors does not require grad": (
        "input-does-not-ask",
        "{x} does not require a gradient, for which grad() is asked.",
        "Say so before the forward pass: `{x}.requires_grad_()`.",
    ),
    "Mismatch in shape: grad_output[0]": (
        "seed-of-another-shape",
        "backward() is given a gradient of shape {given} for {x}, whose shape is {shape}.",
        "Give one number for each of {x}: `torch.ones_like({x})`, or weights of that shape.",
    ),
    "Expected more than 1 value per channel when training": (
        "batch-of-one",
        "{module} cannot normalize a batch of one: a single number has no variance.",
        "Leave out the last, smaller batch: `DataLoader(..., drop_last=True)`; or call `model.eval()` to predict.",
    ),
    "Can't call numpy() on Tensor that requires grad": (
        "numpy-of-a-recorded-tensor",
        "{x} is part of a graph, of which numpy knows nothing.",
        "Take its numbers alone: `{x}.detach().numpy()`.",
    ),
    "Inference tensors cannot be saved for backward": (
        "inference-tensor-in-a-graph",
        "{x} was made under inference_mode(), and cannot be saved for backward.",
        "Make it under `torch.no_grad()` instead; or copy it outside of inference_mode(): `{x} = {x}.clone()`.",
    ),
    "Inplace update to inference tensor outside InferenceMode": (
        "inference-tensor-in-a-graph",
        "{x} was made under inference_mode(), and is written to outside of it.",
        "Make it under `torch.no_grad()` instead; or write to a copy: `{x} = {x}.clone()`.",
    ),
    "you can only change requires_grad flags of leaf variables": (
        "not-a-leaf",
        "requires_grad can be set only for leaves, and {x} was computed.",
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


SHAPE = re.compile(r"grad_output\[0\] has a shape of torch\.Size\((\[[\d, ]*\])\)")


def _finding(case: Case, step: int, event: e.ErrorRaised, kind: str, sentence: str, remedy: str) -> Finding:
    about = subject_of(case, event)
    tensor, name = case.tensors.get(about or ""), called(case, event, about)
    given, norm = SHAPE.search(event.message), failed_in(case, event, "BatchNorm")
    words = {
        "x": name or "a tensor",
        "shape": list(tensor.facts.shape) if tensor is not None else "of several numbers",
        "given": given[1] if given is not None else "another one",
        "module": norm.path if norm is not None else "BatchNorm",
    }
    cause = [Place(words="it was raised here", where=event.where)]
    if tensor is not None and tensor.where not in (None, event.where):
        made = "was computed" if tensor.maker is not None else "was made"
        cause.append(Place(words=f"{name or 'the tensor'} {made} here", where=tensor.where))
    code = words | {"x": name or ("loss" if kind == "backward-of-many-numbers" else "t")}
    return Finding(
        kind=kind, severity=ERROR, sentence=sentence.format(**words), cause=tuple(cause),
        remedy=remedy.format(**code), steps=(step,), parts=(about,) if about else (),
    )  # fmt: skip
