"""What a node saved, as far as it can be read by only looking: of nodes of our engine and of PyTorch alike."""

from __future__ import annotations

from typing import Any

SAVED = "_saved_"
FREED, STALE, PACKED = "freed", "stale: changed in place", "packed by a hook"
"""Why a saved tensor is not read: given back by backward; changed since; only a hook of the user could tell."""


class Unread(str):
    """What is said in place of a saved tensor."""


def read(node: Any, name: str) -> Any:
    """An attribute of a node, with an `Unread` for each tensor that cannot be had, or not without calling a hook."""
    try:
        raw = getattr(node, f"_raw_{name.removeprefix('_')}", None)
        if isinstance(raw, tuple) and any(map(_is_packed, raw)):
            return tuple(Unread(PACKED) if _is_packed(one) else one.data for one in raw)
        return Unread(PACKED) if _is_packed(raw) else getattr(node, name)
    except Exception as error:  # torch raises for what is freed or overwritten; a node may be of the user's making
        if "modified by an inplace operation" in str(error):
            return Unread(STALE)
        return Unread(FREED if "freed" in str(error) else f"not readable: {type(error).__name__}")


def _is_packed(raw: Any) -> bool:
    return getattr(raw, "unpack_hook", None) is not None


def slots(node: Any) -> dict[str, Any]:
    """All that a node saved, by name."""
    return {name.removeprefix(SAVED): read(node, name) for name in dir(node) if name.startswith(SAVED)}


def drawn(slot: str, value: Any) -> list[tuple[str, Any]]:
    """What is drawn of a slot, which holds a tensor or a tuple with some, or what is said in place of them."""
    if isinstance(value, tuple):
        return [(f"{slot}[{i}]", it) for i, it in enumerate(value) if _is_drawn(it)]
    return [(slot, value)] if _is_drawn(value) else []


def told(value: Any) -> str:
    """What the table of attributes says of a value."""
    if isinstance(value, Unread):
        return f"[{value}]"
    if isinstance(value, tuple) and (unread := [it for it in value if isinstance(it, Unread)]):
        return f"[{unread[0]}]"
    if is_tensor(value):
        return "[saved tensor]"
    return "[saved tensors]" if drawn("", value) else str(value)


def _is_drawn(thing: Any) -> bool:
    return isinstance(thing, Unread) or is_tensor(thing)


def is_tensor(thing: Any) -> bool:
    return hasattr(thing, "grad_fn") and hasattr(thing, "is_leaf")
