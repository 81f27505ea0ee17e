"""What torch's nodes keep: saved tensors, by their slots, and plain attributes. No unpack hook of the user's runs."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import torch

from autograd_lab.torch_bridge.tensors import version_of

Slot = tuple[str, Any, Any, int]
"""A slot's name, its source (a tensor, or an int for an output), the tensor that is saved, and its version."""


@cache
def _names(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The slots of a class of nodes that hold tensors, and those that hold anything else."""
    found = dir(kind)
    tensors = tuple(name.removeprefix("_raw_saved_") for name in found if name.startswith("_raw_saved_"))
    others = [name.removeprefix("_saved_") for name in found if name.startswith("_saved_")]
    return tensors, tuple(name for name in others if name not in tensors)


def op_of(node: Any) -> str:
    """The op's own name: `LogSoftmaxBackward0` is what `log_softmax` records."""
    plain = re.sub(r"Backwards?\d*$", "", str(node.name()).rpartition("::")[2])
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()


def attributes_of(node: Any) -> tuple[tuple[str, Any], ...]:
    """The plain values that a node keeps, by name."""
    found = ((name, getattr(node, f"_saved_{name}", None)) for name in _names(type(node))[1])
    return tuple((name, _signed(value)) for name, value in found if value is not None)


def _signed(value: Any) -> Any:
    """torch shows the negative among its whole numbers as if they had no sign."""
    if isinstance(value, tuple | list):
        return tuple(map(_signed, value))
    return value - 2**64 if type(value) is int and value >= 2**63 else value


def slots_of(node: Any) -> list[Slot]:
    """What is saved now: inputs by name, then outputs, as torch packs them."""
    found: list[Slot] = []
    for name in _names(type(node))[0]:
        raw = getattr(node, f"_raw_saved_{name}", None)
        if isinstance(raw, tuple | list):
            found += [slot for one in raw for slot in _slot(node, name, one, True)]
        elif raw is not None:
            found += _slot(node, name, raw, False)
    return sorted(found, key=lambda one: isinstance(one[1], int))


def _slot(node: Any, name: str, raw: Any, of_many: bool) -> list[Slot]:
    if raw.unpack_hook is not None:  # what is kept is what a hook returned: nothing, unless that is a tensor
        kept = raw.data
        return [(name, kept, kept, version_of(kept))] if isinstance(kept, torch.Tensor) else []
    if raw.data is None:
        return []
    try:
        saved = raw.unpack() if of_many else getattr(node, f"_saved_{name}")
    except RuntimeError:  # freed, or stale since nobody knows when
        return []
    if saved is None:
        return []
    return [(name, saved.output_nr if saved.grad_fn is node else saved, saved, version_of(saved))]


def has_slots(node: Any) -> bool:
    """Whether a node may save tensors at all."""
    return bool(_names(type(node))[0])


def is_freed(node: Any) -> bool:
    """Whether a node has let go of its saved tensors."""
    for name in _names(type(node))[0]:
        raw = getattr(node, f"_raw_saved_{name}", None)
        for one in raw if isinstance(raw, tuple | list) else (raw,):
            if one is not None and one.unpack_hook is None and one.data is not None:
                return False
    return True


def unusable_slot(node: Any) -> str | None:
    """The first slot that backward cannot have."""
    for name in _names(type(node))[0]:
        try:
            getattr(node, f"_saved_{name}")
        except RuntimeError:
            return name
    return None
