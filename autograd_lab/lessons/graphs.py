"""Small autograd graphs of either world as plain structures: compared as shapes, without ids."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from autograd_lab.lessons.worded import worded

SYMMETRIC = ("Add", "Mul")
"""Ops that do not care about the order of their operands."""
LARGEST = 60
"""Nodes that a comparison looks at before it gives up: lessons have a dozen."""


@dataclass
class Shape:
    """The nodes behind a tensor: `names[i]`, and `edges[i]` to other nodes, or None; node 0 is the root.

    It keeps the nodes alive: PyTorch's are told apart only as long as they are.
    """

    names: list[str] = field(default_factory=list)
    edges: list[list[int | None]] = field(default_factory=list)
    nodes: list[Any] = field(default_factory=list)

    def counts(self) -> Counter[str]:
        """How often each kind of node occurs."""
        return Counter(self.names)

    def paths(self) -> int:
        """In how many ways one gets from the root to leaves."""

        def below(node: int) -> int:
            further = [below(edge) for edge in self.edges[node] if edge is not None]
            return sum(further) if further else int(self.names[node] == "AccumulateGrad")

        return below(0)


def shape_of(tensor: Any) -> Shape:
    """The graph behind a tensor. Raises ValueError for a tensor without one, and for a graph too large for a lesson."""
    if getattr(tensor, "grad_fn", None) is None:
        raise ValueError("that has no grad_fn, so there is no graph behind it")
    shape, numbers = Shape(), {id(tensor.grad_fn): 0}
    shape.nodes.append(tensor.grad_fn)
    for node in shape.nodes:  # which grows meanwhile
        edges: list[int | None] = []
        for following, _ in node.next_functions:
            if following is not None and id(following) not in numbers:
                numbers[id(following)] = len(shape.nodes)
                shape.nodes.append(following)
            edges.append(None if following is None else numbers[id(following)])
        if len(shape.nodes) > LARGEST:
            raise ValueError(f"that graph has more than {LARGEST} nodes")
        shape.names.append(node.name().rpartition("::")[2])
        shape.edges.append(edges)
    return shape


def same_shape(one: Shape, other: Shape) -> bool:
    """Whether two graphs are alike but for which object is which; operands of sums and products may be swapped."""
    if one.counts() != other.counts():
        return False
    return any(True for _ in _matches(one, other, [(0, 0)], {}, {}))


def _matches(one: Shape, other: Shape, todo: list[Any], to: dict[int, int], fro: dict[int, int]) -> Any:
    """Every way to lay one graph over the other that agrees with the pairs found so far."""
    if not todo:
        yield to
        return
    (a, b), *rest = todo
    if a is None or b is None:
        if a is b:
            yield from _matches(one, other, rest, to, fro)
        return
    if a in to or b in fro:
        if to.get(a) == b and fro.get(b) == a:
            yield from _matches(one, other, rest, to, fro)
        return
    mine, theirs = one.edges[a], other.edges[b]
    if one.names[a] != other.names[b] or len(mine) != len(theirs):
        return
    orders = [theirs]
    if len(theirs) == 2 and one.names[a].startswith(SYMMETRIC):
        orders.append(theirs[::-1])
    for order in orders:
        yield from _matches(one, other, [*zip(mine, order, strict=True), *rest], to | {a: b}, fro | {b: a})


def difference(mine: Shape, wanted: Shape) -> str:
    """What tells a graph from the one that is wanted, without drawing that one; nothing if they are alike."""
    if same_shape(mine, wanted):
        return ""
    have, want = mine.counts(), wanted.counts()
    missing, spare = want - have, have - want
    if not missing and not spare:
        return worded("It has the right nodes, and some are joined otherwise than in the target.")
    if not spare:
        return worded("Its graph has {missing} too few.", missing=_listed(missing))
    if not missing:
        return worded("Its graph has {spare} too many.", spare=_listed(spare))
    says = "Its graph has {missing} too few and {spare} too many."
    return worded(says, missing=_listed(missing), spare=_listed(spare))


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
