"""Tuples, lists and dicts of tensors: what is in them, and others of the same form."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any


def leaves_of(tree: Any) -> list[Any]:
    """What is in tuples, lists and dicts, from left to right."""
    if isinstance(tree, dict):
        return [leaf for key in tree for leaf in leaves_of(tree[key])]
    return [leaf for one in tree for leaf in leaves_of(one)] if isinstance(tree, tuple | list) else [tree]


def like(tree: Any, leaves: Iterator[Any]) -> Any:
    """A tree of the same form with other leaves."""
    if isinstance(tree, dict):
        pairs = [(key, like(tree[key], leaves)) for key in tree]
        return type(tree)(pairs) if isinstance(tree, OrderedDict) else dict(pairs)
    if isinstance(tree, tuple | list):
        parts = [like(one, leaves) for one in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return next(leaves)


def form_of(tree: Any) -> Any:
    """A tree with a star for each leaf."""
    return like(tree, iter(["*"] * len(leaves_of(tree))))


def structure_of(tree: Any, indent: int = 2) -> str:
    """The form of a tree as PyTorch prints it in most of its errors."""
    if not isinstance(tree, dict | tuple | list):
        return "*"
    parts = tree.values() if isinstance(tree, dict) else tree
    context = list(tree) if isinstance(tree, dict) else None
    below = (",\n" + " " * indent).join([structure_of(part, indent + 2) for part in parts])
    return f"TreeSpec({type(tree).__name__}, {context}, [{below}])"


def spread(said: Any, tree: Any) -> list[Any] | None:
    """What is said of each leaf of a tree, there or for a whole branch; None if it is said of another form."""
    if not isinstance(said, dict | tuple | list):
        return [said] * len(leaves_of(tree))
    if type(said) is not type(tree) or len(said) != len(tree):
        return None
    keys: Any = list(tree) if isinstance(said, dict) else range(len(said))
    if isinstance(said, dict) and any(key not in said for key in keys):
        return None
    parts = [spread(said[key], tree[key]) for key in keys]
    return None if None in parts else [one for part in parts for one in part or ()]
