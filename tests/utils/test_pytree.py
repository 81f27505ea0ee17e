"""Trees of containers, taken apart and built again as `torch.utils._pytree` does it."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any

import pytest

from autograd_lab.utils import _pytree as ours
from tests.worlds import plain

theirs = pytest.importorskip("torch.utils._pytree")
Pair = namedtuple("Pair", "x y")  # such a class as programs have


class Own(list[Any]):
    """A subclass of a container, which is none itself."""


class Box:
    """A container that is made known to both."""

    def __init__(self, *parts: Any) -> None:
        self.parts = list(parts)

    def __repr__(self) -> str:
        return f"Box{self.parts}"


for pytree in (ours, theirs):
    pytree.register_pytree_node(Box, lambda box: (box.parts, len(box.parts)), lambda parts, context: Box(*parts))
TREE = [1, {"b": (2, None), "a": Pair(3, [])}, OrderedDict(k=4), defaultdict(list, {"l": [5]}), deque([6], 3), Own([7])]
STORIES = [
    lambda p: p.tree_flatten(TREE)[0],
    lambda p: repr(p.tree_structure(TREE)).replace("NoneType", ""),
    lambda p: repr(p.tree_map(str, TREE)),
    lambda p: (p.tree_structure(TREE).num_leaves, p.tree_structure(TREE).num_nodes, p.tree_structure(7).is_leaf()),
    lambda p: [p.keystr(way) for way, _ in p.tree_flatten_with_path(TREE)[0]],
    lambda p: [p.key_get(TREE, way) for way, _ in p.tree_leaves_with_path(TREE)],
    lambda p: p.tree_map_with_path(lambda way, leaf, other: (p.keystr(way), leaf, other), {"a": [1]}, {"a": [2]}),
    lambda p: p.tree_map(lambda a, b: a + b, {"a": 1, "b": [2]}, OrderedDict(b=[3], a=4)),
    lambda p: p.tree_map(lambda a, b: b, [1, 2], [1]),
    lambda p: p.tree_map(lambda a, b: b, [1, 2], (1, 2)),
    lambda p: p.tree_map(lambda a, b: b, {"a": 1}, {"b": 1}),
    lambda p: p.tree_map(lambda a, b: b, [1, [2]], [(3, 4), [5]]),
    lambda p: p.tree_unflatten([1], p.tree_structure([1, 2])),
    lambda p: p.tree_unflatten([1], 3),
    lambda p: p.register_pytree_node(list, None, None),
    lambda p: repr(p.tree_map(lambda leaf: leaf + 1, Box(1, [2]))),
    lambda p: p.tree_map(lambda a, b: 0, Box(1), [1]),
    lambda p: p.tree_map(lambda a, b: 0, Box(1), Box(1, 2)),
    lambda p: p.tree_flatten_with_path(Box(1)),
    lambda p: p.tree_map_only(int, str, [1, "a", 2.0]),
    lambda p: p.tree_map_only(lambda leaf: leaf > 1, str, [1, 2]),
    lambda p: p.tree_map_only((int, float), str, [1, "a", 2.0]),
    lambda p: (p.tree_all(bool, [1, 0]), p.tree_any(bool, [1, 0]), p.tree_any_only(str, len, [3, ""])),
    lambda p: p.tree_leaves([[1], [2, 3]], is_leaf=lambda node: node == [1]),
    lambda p: p.tree_map_(print, []),
    lambda p: (p.tree_is_leaf(Own()), p.tree_is_leaf([]), p.is_namedtuple_instance(Pair(1, 2))),
    lambda p: p.tree_structure([1, (2,)]) == p.tree_structure([3, (4,)]),
    lambda p: p._dict_flatten_with_keys({"a": 1})[1],
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", range(len(STORIES)))
def test_tree_is_taken_apart_and_built_as_in_pytorch(place: int) -> None:
    def told(pytree: Any) -> Any:
        try:
            return plain(STORIES[place](pytree))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    assert told(ours) == told(theirs)
