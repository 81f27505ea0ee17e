"""Nested containers as lists of their leaves, and back: what packages take from `torch.utils._pytree`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.utils.tree_nodes import SUPPORTED_NODES, Leaf, _kind
from autograd_lab.utils.tree_nodes import Context as Context
from autograd_lab.utils.tree_nodes import GetAttrKey as GetAttrKey
from autograd_lab.utils.tree_nodes import LeafSpec as LeafSpec
from autograd_lab.utils.tree_nodes import MappingKey as MappingKey
from autograd_lab.utils.tree_nodes import NodeDef as NodeDef
from autograd_lab.utils.tree_nodes import PyTree as PyTree
from autograd_lab.utils.tree_nodes import SequenceKey as SequenceKey
from autograd_lab.utils.tree_nodes import TreeSpec as TreeSpec
from autograd_lab.utils.tree_nodes import _dict_flatten as _dict_flatten
from autograd_lab.utils.tree_nodes import _dict_flatten_with_keys as _dict_flatten_with_keys
from autograd_lab.utils.tree_nodes import _dict_unflatten as _dict_unflatten
from autograd_lab.utils.tree_nodes import _is_namedtuple_instance as _is_namedtuple_instance
from autograd_lab.utils.tree_nodes import _register_pytree_node as _register_pytree_node
from autograd_lab.utils.tree_nodes import is_namedtuple_instance as is_namedtuple_instance
from autograd_lab.utils.tree_nodes import register_pytree_node as register_pytree_node
from autograd_lab.utils.tree_nodes import tree_flatten as tree_flatten
from autograd_lab.utils.tree_nodes import tree_is_leaf as tree_is_leaf
from autograd_lab.utils.tree_nodes import tree_unflatten as tree_unflatten

_get_node_type = _kind


def tree_iter(tree: Any, is_leaf: Leaf = None) -> Any:
    """One leaf after another."""
    return iter(tree_leaves(tree, is_leaf))


def tree_leaves(tree: Any, is_leaf: Leaf = None) -> list[Any]:
    """All leaves in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: Leaf = None) -> Any:
    """How leaves are nested."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Leaf = None) -> Any:
    """The containers again, with what a function makes of each leaf, and of what stands there in other trees."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return tree_unflatten(map(func, leaves, *[spec.flatten_up_to(rest) for rest in rests]), spec)


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Leaf = None) -> Any:
    """The tree itself, once a function has been called with each leaf."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def _wanted(kind: Any) -> Callable[[Any], Any]:
    """Whether a leaf is of a type, or as a function wants it."""
    return kind if callable(kind) and not isinstance(kind, type) else lambda leaf: isinstance(leaf, kind)


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Any], Any]:
    """Makes of a function of some leaves one of all, which leaves the others as they are."""
    wanted = _wanted(type_or_types_or_pred)
    return lambda func: lambda leaf: func(leaf) if wanted(leaf) else leaf


def tree_map_only(type_or_types_or_pred: Any, /, func: Any, tree: Any, is_leaf: Leaf = None) -> Any:
    """The containers again, with what a function makes of the leaves of a type; the others stay."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred: Any, /, func: Any, tree: Any, is_leaf: Leaf = None) -> Any:
    """The tree itself, once a function has been called with each leaf of a type."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: Leaf = None) -> bool:
    """Whether something is true of every leaf."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: Leaf = None) -> bool:
    """Whether something is true of some leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(type_or_types: Any, /, pred: Any, tree: Any, is_leaf: Leaf = None) -> bool:
    """Whether something is true of every leaf of a type."""
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types: Any, /, pred: Any, tree: Any, is_leaf: Leaf = None) -> bool:
    """Whether something is true of some leaf of a type."""
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, type_or_types))


def _ways(tree: Any, is_leaf: Leaf, way: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], Any]]:
    if tree_is_leaf(tree, is_leaf):
        return [(way, tree)]
    if (keyed := SUPPORTED_NODES[kind := _kind(tree)].flatten_with_keys_fn) is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument to "
            "register_pytree_node."
        )
    return [each for key, part in keyed(tree)[0] for each in _ways(part, is_leaf, (*way, key))]


def tree_leaves_with_path(tree: Any, is_leaf: Leaf = None) -> list[tuple[tuple[Any, ...], Any]]:
    """All leaves in order, each with the way to it."""
    return _ways(tree, is_leaf, ())


def tree_flatten_with_path(tree: Any, is_leaf: Leaf = None) -> tuple[list[tuple[tuple[Any, ...], Any]], Any]:
    """All leaves in order, each with the way to it, and how they were nested."""
    return _ways(tree, is_leaf, ()), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Leaf = None) -> Any:
    """The containers again, with what a function makes of the way to each leaf and the leaf."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return tree_unflatten([func(*each, *more) for each, *more in zip(found, *others, strict=True)], spec)


def keystr(kp: tuple[Any, ...]) -> str:
    """A way as it would be written behind the tree's name."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: tuple[Any, ...]) -> Any:
    """What a way leads to."""
    for key in kp:
        obj = key.get(obj)
    return obj
