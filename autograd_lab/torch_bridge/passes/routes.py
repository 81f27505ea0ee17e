"""Where a backward pass will go: the nodes that it may reach, and how many gradients will meet at each."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from autograd_lab.recording.program.source import Site
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.values.snapshot import Snapshot
from autograd_lab.recording.whereabouts import Whereabouts
from autograd_lab.torch_bridge.passes.totals import Key, Sums
from autograd_lab.torch_bridge.reading.tensors import Sent, snapshot_of


@dataclass(slots=True)
class Graph:
    """The nodes that can be reached from some, by their ids.

    Each has its `edges`, to where gradients meet, and receives as many gradients as are `expected`; and `meeting` says
    how many there are at each place.
    """

    nodes: dict[str, Any] = field(default_factory=dict)
    edges: dict[str, tuple[Key | None, ...]] = field(default_factory=dict)
    expected: dict[str, int] = field(default_factory=dict)
    meeting: dict[Key, int] = field(default_factory=dict)


@dataclass(eq=False)
class Pass:
    """One call of `backward` or `grad`, and how far it has come.

    It was begun at a `place`. `arrived` counts gradients by the ids of nodes. `ran` is the node that has run and has
    yet to send what it computed, `values`; `totals` are the sums that torch has made meanwhile of gradients that met,
    as far as it records them; other sums are made anew in `sums`. `hooked` has what hooks of the user's on a node are
    called with.
    What other processes may still have a part in is `shared`: leaves, with the `.grad` that was told. `resting` are
    gradients that will be the only ones at their places.
    """

    tensors: tuple[Any, ...]
    roots: tuple[Any, ...]
    seeds: tuple[Any, ...]
    retain_graph: bool
    create_graph: bool
    reached: set[str] | None
    graph: Graph
    sums: Sums
    place: tuple[Site, FrameType | None]
    handles: list[Any] = field(default_factory=list)
    watched: list[str] = field(default_factory=list)
    started: bool = False
    entered: int = 0
    arrived: dict[str, int] = field(default_factory=dict)
    holds: set[tuple[str, int]] = field(default_factory=set)
    visiting: Any = None
    ran: str | None = None
    values: tuple[Any, ...] = ()
    edge: int = 0
    freed_told: bool = False
    told: int = 0
    totals: list[Any] = field(default_factory=list)
    leaf_gradient: Any = None
    is_first: bool = False
    resting: dict[Key, Sent] = field(default_factory=dict)
    shared: list[tuple[weakref.ref[Any], str, Snapshot]] = field(default_factory=list)
    hooked: list[Any] | None = None


class Routes:
    """Plans passes before they run."""

    def __init__(self, tape: Tape, whereabouts: Whereabouts) -> None:
        self._node, self._here = tape.node, whereabouts.now

    def plan(
        self, tensors: Sequence[Any], seeds: Sequence[Any], retain_graph: bool, create_graph: bool, inputs: Any
    ) -> Pass:
        """A pass from tensors that require grad, before it runs."""
        roots = tuple(_gradient_edge(tensor) for tensor in tensors)
        graph = self._reachable(roots)
        sums = Sums({} if create_graph else graph.meeting)
        reached = None if inputs is None else self._on_the_way(graph, inputs)
        given = tuple(torch.ones_like(t) if seed is None else seed for t, seed in zip(tensors, seeds, strict=True))
        for (node, number), seed in zip(roots, () if create_graph else given, strict=False):
            sums.begin((self._node(node), number), seed)
        seeds, here = tuple(map(snapshot_of, given)), self._here()
        return Pass(tuple(tensors), roots, seeds, retain_graph, create_graph, reached, graph, sums, here)

    def _reachable(self, roots: Sequence[Any]) -> Graph:
        graph, name = Graph(), self._node
        todo: list[tuple[Key, Any]] = [((name(node), number), node) for node, number in roots]
        while todo:
            key, node = todo.pop()
            identity = key[0]
            graph.expected[identity] = graph.expected.get(identity, 0) + 1
            graph.meeting[key] = graph.meeting.get(key, 0) + 1
            if identity not in graph.nodes:
                graph.nodes[identity] = node
                below = [((name(to), number), to) if to is not None else None for to, number in node.next_functions]
                graph.edges[identity] = tuple([end and end[0] for end in below])
                todo += [end for end in below if end is not None]
        return graph

    def _on_the_way(self, graph: Graph, inputs: Sequence[Any]) -> set[str]:
        """The nodes that lead to the inputs, and those themselves."""
        users: dict[str, list[str]] = {}
        for identity, edges in graph.edges.items():
            for key in edges:
                if key is not None:
                    users.setdefault(key[0], []).append(identity)
        leaves = {id(node.variable): identity for identity, node in graph.nodes.items() if hasattr(node, "variable")}
        reached: set[str] = set()
        ends = [leaves.get(id(end)) if _is_leaf(end) else self._node(_gradient_edge(end)[0]) for end in inputs]
        todo = [identity for identity in ends if identity is not None]
        while todo:
            identity = todo.pop()
            if identity not in reached:
                reached.add(identity)
                todo += users.get(identity, [])
        return reached


def _is_leaf(thing: Any) -> bool:
    return isinstance(thing, torch.Tensor) and thing.is_leaf


def _gradient_edge(tensor: Any) -> tuple[Any, int]:
    """Where a tensor's gradient goes. Raises RuntimeError if it requires none."""
    if isinstance(tensor, torch.autograd.graph.GradientEdge):
        return tensor.node, tensor.output_nr
    if tensor.grad_fn is not None:
        return tensor.grad_fn, tensor.output_nr
    with torch.inference_mode(False):  # in which there would be none
        edge = torch.autograd.graph.get_gradient_edge(tensor)
    return edge.node, edge.output_nr
