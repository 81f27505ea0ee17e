"""Where a backward pass will go: the nodes that it may reach, and how many gradients will meet at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_lab.torch_bridge.sums import Sums
from autograd_lab.torch_bridge.tensors import taken
from autograd_lab.torch_bridge.unseen import Unseen


@dataclass(eq=False)
class Pass:
    """One call of `backward` or `grad`, and how far it has come.

    `expected` and `arrived` count gradients by the ids of nodes. `ran` is the node that has run and has yet to send
    what it computed, `values`; `totals` are the sums that torch has made meanwhile of gradients that met, as far as it
    records them; other sums are made anew in `sums`. `hooked` has what hooks of the user's on a node are called with.
    """

    tensors: tuple[Any, ...]
    roots: tuple[Any, ...]
    seeds: tuple[Any, ...]
    retain_graph: bool
    create_graph: bool
    reached: set[str] | None
    nodes: dict[str, Any]
    expected: dict[str, int]
    sums: Sums
    handles: list[Any] = field(default_factory=list)
    watched: list[str] = field(default_factory=list)
    started: bool = False
    entered: int = 0
    arrived: dict[str, int] = field(default_factory=dict)
    holds: set[tuple[str, int]] = field(default_factory=set)
    visiting: Any = None
    ran: Any = None
    values: tuple[Any, ...] = ()
    edge: int = 0
    freed_told: bool = False
    told: int = 0
    totals: list[Any] = field(default_factory=list)
    leaf_gradient: Any = None
    hooked: list[Any] | None = None


class Routes(Unseen):
    """Plans passes before they run."""

    def plan(
        self, tensors: Sequence[Any], seeds: Sequence[Any], retain_graph: bool, create_graph: bool, inputs: Any
    ) -> Pass:
        """A pass from tensors that require grad, before it runs."""
        roots = tuple(_gradient_edge(tensor) for tensor in tensors)
        found, expected, meeting = self._dependencies(roots)
        sums = Sums({} if create_graph else meeting)
        reached = None if inputs is None else self._on_the_way(found, inputs)
        given = tuple(torch.ones_like(t) if seed is None else seed for t, seed in zip(tensors, seeds, strict=True))
        for (node, number), seed in zip(roots, () if create_graph else given, strict=False):
            sums.begin((self._node(node), number), seed)
        return Pass(
            tuple(tensors), roots, tuple(map(taken, given)), retain_graph, create_graph, reached, found, expected, sums
        )

    def _dependencies(self, roots: Sequence[Any]) -> tuple[dict[str, Any], dict[str, int], dict[tuple[str, int], int]]:
        """All nodes that can be reached, and how many gradients each of them and of their outputs is to receive."""
        found: dict[str, Any] = {}
        counts: dict[str, int] = {}
        meeting: dict[tuple[str, int], int] = {}
        todo = list(roots)
        while todo:
            node, number = todo.pop()
            identity = self._node(node)
            counts[identity] = counts.get(identity, 0) + 1
            meeting[identity, number] = meeting.get((identity, number), 0) + 1
            if identity not in found:
                found[identity] = node
                todo += [edge for edge in node.next_functions if edge[0] is not None]
        return found, counts, meeting

    def _on_the_way(self, found: dict[str, Any], inputs: Sequence[Any]) -> set[str]:
        """The nodes that lead to the inputs, and those themselves."""
        users: dict[str, list[str]] = {}
        for identity, node in found.items():
            for below, _ in node.next_functions:
                if below is not None:
                    users.setdefault(self._node(below), []).append(identity)
        leaves = {id(node.variable): identity for identity, node in found.items() if hasattr(node, "variable")}
        reached: set[str] = set()
        ends = [leaves.get(id(one)) if _is_leaf(one) else self._node(_gradient_edge(one)[0]) for one in inputs]
        todo = [identity for identity in ends if identity is not None]
        while todo:
            identity = todo.pop()
            if identity not in reached:
                reached.add(identity)
                todo += users.get(identity, [])
        return reached


def _is_leaf(one: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.is_leaf


def _gradient_edge(tensor: Any) -> tuple[Any, int]:
    """Where a tensor's gradient goes. Raises RuntimeError if it requires none."""
    if isinstance(tensor, torch.autograd.graph.GradientEdge):
        return tensor.node, tensor.output_nr
    if tensor.grad_fn is not None:
        return tensor.grad_fn, tensor.output_nr
    with torch.inference_mode(False):  # in which there would be none
        edge = torch.autograd.graph.get_gradient_edge(tensor)
    return edge.node, edge.output_nr
