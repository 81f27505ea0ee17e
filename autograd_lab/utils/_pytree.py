"""Nested containers as lists of their leaves, and back: what packages take from `torch.utils._pytree`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

PyTree = Any
"""Tensors in lists, tuples and dicts, to any depth."""


class TreeSpec(NamedTuple):
    """How leaves are nested: the type of the container, its keys or None, and what is below."""

    type: Any
    context: Any
    children: list[TreeSpec]

    @property
    def num_leaves(self) -> int:
        """How many leaves there are."""
        return 1 if self.type is None else sum(child.num_leaves for child in self.children)


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """All leaves in order, and how they were nested. Lists, tuples and dicts are containers."""
    if (is_leaf is not None and is_leaf(tree)) or not isinstance(tree, list | tuple | dict):
        return [tree], TreeSpec(None, None, [])
    context = list(tree) if isinstance(tree, dict) else None
    pairs = [tree_flatten(part, is_leaf) for part in (tree.values() if isinstance(tree, dict) else tree)]
    return [leaf for leaves, _ in pairs for leaf in leaves], TreeSpec(type(tree), context, [spec for _, spec in pairs])


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The containers again, with other leaves."""
    waiting = iter(leaves)
    return _built(treespec, waiting)


def _built(spec: TreeSpec, leaves: Any) -> Any:
    if spec.type is None:
        return next(leaves)
    parts = [_built(child, leaves) for child in spec.children]
    if spec.context is not None:
        return spec.type(zip(spec.context, parts, strict=True))
    return spec.type(*parts) if hasattr(spec.type, "_fields") else spec.type(parts)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """All leaves in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The containers again, with what a function makes of each leaf."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_leaves(rest, is_leaf) for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """The same for leaves of a type; the others stay."""
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, kind) else leaf, tree)
