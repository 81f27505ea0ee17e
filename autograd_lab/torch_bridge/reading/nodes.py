"""What torch's nodes keep: saved tensors, by their slots, and plain attributes. No unpack hook of the user's runs."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import torch

from autograd_lab.listening import PACKED as PACKED_AWAY
from autograd_lab.torch_bridge.internals import HELD, PACKED, Kept, is_held, kept
from autograd_lab.torch_bridge.reading.tensors import version_of

Slot = tuple[str, Any, Any, int]
"""A slot's name, its source (a tensor, or an int for an output, or `PACKED`), the tensor that is saved, its version."""


@cache
def _names(kind: Any) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The slots of a class of nodes that hold tensors; those that hold anything else, with their attributes."""
    found = dir(kind)
    tensors = tuple(name.removeprefix("_raw_saved_") for name in found if name.startswith("_raw_saved_"))
    others = [name.removeprefix("_saved_") for name in found if name.startswith("_saved_")]
    return tensors, tuple((name, f"_saved_{name}") for name in others if name not in tensors)


def op_of(node: Any) -> str:
    """The op's own name: `LogSoftmaxBackward0` is what `log_softmax` records."""
    return op_name(str(node.name()).rpartition("::")[2])


@cache
def op_name(name: str) -> str:
    """A node's or a Function's name as that of an op."""
    plain = re.sub(r"Backwards?\d*$", "", name)
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=[A-CE-Z])|(?<=\dD)(?=[A-Z])", "_", plain).lower()


def attributes_of(node: Any) -> tuple[tuple[str, Any], ...]:
    """The plain values that a node keeps, by name."""
    found = [(name, getattr(node, attribute, None)) for name, attribute in _names(node.__class__)[1]]
    return tuple([one for one in found if one[1] is not None])


def slots_of(node: Any) -> tuple[list[Slot], bool]:
    """What is saved now: inputs by name, then outputs, as torch packs them; and whether hooks have packed any of it."""
    if is_custom(node):
        names = [(f"saved_tensors[{at}]", one) for at, one in enumerate(kept(node, "tensors", True))]
    else:
        names = [(name, one) for name in _names(node.__class__)[0] for one in kept(node, name, False)]
    found = [slot for name, one in names for slot in _slot(node, name, one)]
    if len(found) > 1:
        found.sort(key=lambda one: isinstance(one[1], int))
    return found, any(one.state is PACKED for _, one in names)


def _slot(node: Any, name: str, one: Kept) -> list[Slot]:
    tensor = one.tensor
    if one.state is PACKED and tensor is None:  # what is kept is what a hook returned, which is no tensor
        return [(name, PACKED_AWAY, None, 0)]
    if tensor is None:
        return []
    if one.state is HELD and tensor.grad_fn is node:
        return [(name, tensor.output_nr, tensor, version_of(tensor))]
    return [(name, tensor, tensor, version_of(tensor) if one.version is None else one.version)]


def is_custom(node: Any) -> bool:
    """Whether a node is that of a custom Function."""
    return isinstance(node, torch.autograd.function.BackwardCFunction)


def has_slots(node: Any) -> bool:
    """Whether a node may save tensors at all."""
    return bool(_names(node.__class__)[0])


def is_freed(node: Any) -> bool:
    """Whether a node has let go of its saved tensors."""
    custom = is_custom(node)
    return not any(is_held(node, name, custom) for name in _names(node.__class__)[0])


def unusable_slot(node: Any) -> str | None:
    """The first slot that backward cannot have."""
    if is_custom(node):
        states = kept(node, "tensors", True)
        at = next((at for at, one in enumerate(states) if one.state is not HELD), 0)
        return f"saved_tensors[{at}]" if _raises(node, "saved_tensors") else None
    return next((name for name in _names(node.__class__)[0] if _raises(node, f"_saved_{name}")), None)


def _raises(thing: Any, name: str) -> bool:
    try:
        getattr(thing, name)
    except RuntimeError:
        return True
    return False
