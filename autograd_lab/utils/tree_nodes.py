"""Nested containers as lists of their leaves, and back: the half of `torch.utils._pytree` that knows containers."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

PyTree = Any
"""Tensors in lists, tuples and dicts, to any depth, or in whatever was registered."""
Context = Any
"""What a container must be told besides its parts to be built again, as the keys of a dict."""
Leaf = Callable[[Any], bool] | None


@dataclass(frozen=True)
class MappingKey:
    """The way to a part by its key."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The part."""
        return mapping[self.key]


@dataclass(frozen=True)
class SequenceKey:
    """The way to a part by its position."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The part."""
        return sequence[self.idx]


@dataclass(frozen=True)
class GetAttrKey:
    """The way to a part by its name."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The part."""
        return getattr(obj, self.name)


class NodeDef(NamedTuple):
    """How a kind of container is taken apart, built, and taken apart with the way to each part."""

    type: Any
    flatten_fn: Callable[[Any], tuple[list[Any], Context]]
    unflatten_fn: Callable[[Iterable[Any], Context], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Context]] | None


SUPPORTED_NODES: dict[type, NodeDef] = {}


def _register(cls: Any, flatten_fn: Any, unflatten_fn: Any, *, flatten_with_keys_fn: Any = None, **unread: Any) -> None:
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


def register_pytree_node(
    cls: type, flatten_fn: Any, unflatten_fn: Any, *, serialized_type_name: str | None = None,
    to_dumpable_context: Any = None, from_dumpable_context: Any = None, flatten_with_keys_fn: Any = None,
) -> None:  # fmt: skip
    """A class of the user's is a container, too. Raises ValueError if it is one already."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls!r} is already registered as pytree node.")
    _register(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn=flatten_with_keys_fn)


_register_pytree_node = register_pytree_node


def _list_flatten(one: Any) -> tuple[list[Any], Context]:
    return list(one), None


def _keyed(flatten: Any, key: Any) -> Any:
    """The same, with the way to each part: from its position and what is told of the container."""

    def with_keys(one: Any) -> tuple[list[tuple[Any, Any]], Context]:
        parts, context = flatten(one)
        return [(key(place, context), part) for place, part in enumerate(parts)], context

    return with_keys


def _dict_flatten(one: Any) -> tuple[list[Any], Context]:
    return list(one.values()), list(one)


def _dict_unflatten(values: Iterable[Any], context: Context) -> dict[Any, Any]:
    return dict(zip(context, values, strict=True))


def _namedtuple_flatten(one: Any) -> tuple[list[Any], Context]:
    return list(one), type(one)


def _defaultdict_flatten(one: Any) -> tuple[list[Any], Context]:
    return list(one.values()), [one.default_factory, list(one)]


def _defaultdict_unflatten(values: Iterable[Any], context: Context) -> Any:
    return defaultdict(context[0], zip(context[1], values, strict=True))


def _place(place: int, context: Context) -> Any:
    return SequenceKey(place)


_dict_flatten_with_keys = _keyed(_dict_flatten, lambda place, context: MappingKey(context[place]))


class namedtuple:
    """Stands for all classes that `collections.namedtuple` made."""


for _cls, _flatten, _unflatten, _key in (
    (tuple, _list_flatten, lambda parts, context: tuple(parts), _place),
    (list, _list_flatten, lambda parts, context: list(parts), _place),
    (dict, _dict_flatten, _dict_unflatten, lambda place, context: MappingKey(context[place])),
    (OrderedDict, _dict_flatten, lambda parts, context: OrderedDict(zip(context, parts, strict=True)),
     lambda place, context: MappingKey(context[place])),
    (defaultdict, _defaultdict_flatten, _defaultdict_unflatten, lambda place, context: MappingKey(context[1][place])),
    (deque, lambda one: (list(one), one.maxlen), lambda parts, context: deque(parts, maxlen=context), _place),
    (namedtuple, _namedtuple_flatten, lambda parts, context: context(*parts),
     lambda place, context: GetAttrKey(context._fields[place])),
):  # fmt: skip
    _register(_cls, _flatten, _unflatten, flatten_with_keys_fn=_keyed(_flatten, _key))
DICTS = dict, OrderedDict, defaultdict


def is_namedtuple_instance(obj: object) -> bool:
    """Whether it is of a class that `collections.namedtuple` made."""
    return isinstance(obj, tuple) and type(obj).__bases__ == (tuple,) and hasattr(obj, "_fields")


_is_namedtuple_instance = is_namedtuple_instance


def _kind(tree: Any) -> Any:
    """Which container it is; a subclass of one is none, unless it was registered."""
    kind = type(tree)
    return namedtuple if kind not in SUPPORTED_NODES and is_namedtuple_instance(tree) else kind


def tree_is_leaf(tree: Any, is_leaf: Leaf = None) -> bool:
    """Whether nothing is taken apart there."""
    return (is_leaf is not None and is_leaf(tree)) or _kind(tree) not in SUPPORTED_NODES


class TreeSpec(NamedTuple):
    """How leaves are nested: the type of the container, what it must be told, and what is below."""

    type: Any
    context: Context
    children_specs: list[TreeSpec]

    @property
    def num_leaves(self) -> int:
        """How many leaves there are."""
        return 1 if self.type is None else sum(child.num_leaves for child in self.children_specs)

    @property
    def num_nodes(self) -> int:
        """How many containers and leaves there are."""
        return 1 + sum(child.num_nodes for child in self.children_specs)

    @property
    def num_children(self) -> int:
        """How many parts the outermost container has."""
        return len(self.children_specs)

    def children(self) -> list[TreeSpec]:
        """How each part is nested."""
        return list(self.children_specs)

    def child(self, index: int) -> TreeSpec:
        """How one part is nested."""
        return self.children_specs[index]

    def is_leaf(self) -> bool:
        """Whether there is one leaf and no container."""
        return self.type is None

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """What stands in another tree where this one has leaves. Raises ValueError if its containers are others."""
        if self.type is None:
            return [tree]
        parts = self._parts(tree)
        return [
            each for spec, part in zip(self.children_specs, parts, strict=True) for each in spec.flatten_up_to(part)
        ]

    def _parts(self, tree: Any) -> list[Any]:
        kind, dicts = _kind(tree), self.type in DICTS
        if kind != self.type and not (dicts and kind in DICTS):
            word = "Node type" if SUPPORTED_NODES[self.type].type in BUILTIN else "Type"
            raise ValueError(f"{word} mismatch; expected {self.type!r}, but got {kind!r}.")
        parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if len(parts) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(parts)}.")
        if dicts:
            wanted = self.context[1] if self.type is defaultdict else self.context
            missing, extra = set(wanted) - set(tree), set(tree) - set(wanted)
            if missing:
                raise ValueError(f"Node keys mismatch; missing key(s): {missing}; extra key(s): {extra}.")
            return [tree[key] for key in wanted]
        if kind is not deque and context != self.context:
            if self.type not in BUILTIN:
                raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
            raise ValueError(
                f"Node context mismatch for node type {self.type!r}; expected {self.context!r}, but got {context!r}."
            )
        return list(parts)

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        below = [child.__repr__(indent + 2) for child in self.children_specs]
        return f"TreeSpec({self.type.__name__}, {self.context}, [{(',' + chr(10) + ' ' * (indent + 2)).join(below)}])"


BUILTIN = frozenset(SUPPORTED_NODES)
LEAF = TreeSpec(None, None, [])


class _IsLeaf(type):
    def __instancecheck__(cls, one: Any) -> bool:
        return isinstance(one, TreeSpec) and one.is_leaf()


class LeafSpec(metaclass=_IsLeaf):
    """One leaf and no container, as it was asked for before `is_leaf`."""

    def __new__(cls) -> Any:
        return LEAF


def _walk(tree: Any, is_leaf: Leaf, leaves: list[Any]) -> TreeSpec:
    if (is_leaf is not None and is_leaf(tree)) or (kind := _kind(tree)) not in SUPPORTED_NODES:
        leaves.append(tree)
        return LEAF
    parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_walk(part, is_leaf, leaves) for part in parts])


def tree_flatten(tree: Any, is_leaf: Leaf = None) -> tuple[list[Any], TreeSpec]:
    """All leaves in order, and how they were nested."""
    leaves: list[Any] = []
    spec = _walk(tree, is_leaf, leaves)
    return leaves, spec


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The containers again, with other leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    given = list(leaves)
    if len(given) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return _built(treespec, iter(given))


def _built(spec: TreeSpec, leaves: Iterator[Any]) -> Any:
    if spec.type is None:
        return next(leaves)
    parts = [_built(child, leaves) for child in spec.children_specs]
    return SUPPORTED_NODES[spec.type].unflatten_fn(parts, spec.context)
