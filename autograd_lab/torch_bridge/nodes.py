"""What torch's nodes keep: saved tensors, by their slots, and plain attributes. No unpack hook of the user's runs."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import torch

from autograd_lab.meetings import PACKED
from autograd_lab.torch_bridge.tensors import version_of

Slot = tuple[str, Any, Any, int]
"""A slot's name, its source (a tensor, or an int for an output, or `PACKED`), the tensor that is saved, its version."""


@cache
def _names(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The slots of a class of nodes that hold tensors, and those that hold anything else."""
    found = dir(kind)
    tensors = tuple(name.removeprefix("_raw_saved_") for name in found if name.startswith("_raw_saved_"))
    others = [name.removeprefix("_saved_") for name in found if name.startswith("_saved_")]
    return tensors, tuple(name for name in others if name not in tensors)


def op_of(node: Any) -> str:
    """The op's own name: `LogSoftmaxBackward0` is what `log_softmax` records."""
    return spelled(str(node.name()).rpartition("::")[2])


def spelled(name: str) -> str:
    """A node's or a Function's name as that of an op."""
    plain = re.sub(r"Backwards?\d*$", "", name)
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=[A-CE-Z])|(?<=\dD)(?=[A-Z])", "_", plain).lower()


def attributes_of(node: Any) -> tuple[tuple[str, Any], ...]:
    """The plain values that a node keeps, by name."""
    found = ((name, getattr(node, f"_saved_{name}", None)) for name in _names(node.__class__)[1])
    return tuple((name, value) for name, value in found if value is not None)


def slots_of(node: Any) -> list[Slot]:
    """What is saved now: inputs by name, then outputs, as torch packs them."""
    found: list[Slot] = []
    if is_custom(node):
        return _of_function(node)
    for name in _names(node.__class__)[0]:
        raw = _raw(node, name)
        if isinstance(raw, tuple | list):
            found += [slot for one in raw for slot in _slot(node, name, one, True)]
        elif raw is not None:
            found += _slot(node, name, raw, False)
    return sorted(found, key=lambda one: isinstance(one[1], int))


def _raw(node: Any, name: str) -> Any:
    """What is saved in a slot, as torch keeps it; None if that was freed."""
    try:
        return getattr(node, f"_raw_saved_{name}", None)
    except RuntimeError:
        return None


def _of_function(node: Any) -> list[Slot]:
    """What a custom Function saved. Its attributes are the user's, and none of it."""
    raw = _raw(node, "tensors") or ()
    if any(one.unpack_hook is not None for one in raw):
        return [slot for at, one in enumerate(raw) for slot in _slot(node, f"saved_tensors[{at}]", one, True)]
    try:
        saved = node.saved_tensors if raw else ()
    except RuntimeError:
        return []
    return [
        (f"saved_tensors[{at}]", one.output_nr if one.grad_fn is node else one, one, version_of(one))
        for at, one in enumerate(saved)
        if one is not None
    ]


def _slot(node: Any, name: str, raw: Any, of_many: bool) -> list[Slot]:
    if raw.unpack_hook is not None:  # what is kept is what a hook returned: unknown, unless that is a tensor
        kept = raw.data
        return [(name, kept, kept, version_of(kept)) if isinstance(kept, torch.Tensor) else (name, PACKED, None, 0)]
    if raw.data is None:
        return []
    try:
        saved = raw.unpack() if of_many else getattr(node, f"_saved_{name}")
    except RuntimeError as error:  # it was freed, or written to since
        stale = re.search(r"expected version (\d+)", str(error))
        return [(name, raw.data, raw.data, int(stale[1]) if stale else version_of(raw.data))]
    if saved is None:
        return []
    return [(name, saved.output_nr if saved.grad_fn is node else saved, saved, version_of(saved))]


def made_by(node: Any) -> tuple[Any, ...]:
    """Shape and dtype of each output of a node, as far as torch can tell: of nested tensors it cannot."""
    try:
        return tuple((tuple(one.shape), one.dtype) for one in node._input_metadata)
    except (AttributeError, RuntimeError):
        return ()


def is_custom(node: Any) -> bool:
    """Whether a node is that of a custom Function."""
    return isinstance(node, torch.autograd.function.BackwardCFunction)


def has_slots(node: Any) -> bool:
    """Whether a node may save tensors at all."""
    return bool(_names(node.__class__)[0])


def is_freed(node: Any) -> bool:
    """Whether a node has let go of its saved tensors."""
    for name in _names(node.__class__)[0]:
        raw = _raw(node, name)
        for one in raw if isinstance(raw, tuple | list) else (raw,):
            if one is not None and one.unpack_hook is None and one.data is not None:
                return False
    return True


def unusable_slot(node: Any) -> str | None:
    """The first slot that backward cannot have."""
    if is_custom(node):
        raw = _raw(node, "tensors")
        stale = (
            at for at, one in enumerate(raw or ()) if one.unpack_hook is None and _raises(one, "unpack", called=True)
        )
        return f"saved_tensors[{next(stale, 0)}]" if _raises(node, "saved_tensors") else None
    return next((name for name in _names(node.__class__)[0] if _raises(node, f"_saved_{name}")), None)


def _raises(thing: Any, name: str, called: bool = False) -> bool:
    try:
        found = getattr(thing, name)
        if called:
            found()
    except RuntimeError:
        return True
    return False
