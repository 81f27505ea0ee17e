"""Whether an event fits what a trace has said before it: its ids stand for something, its numbers count what is there.

Views rely on this and check nothing themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograd_lab import events as e
from autograd_lab.trace.roles import introduces, mentions, spelled

ID = re.compile(r"[a-z](?:0|[1-9][0-9]{0,6})")
"""How an id is written. Views keep places for all numbers up to the largest."""
MOST_OUTPUTS = 1 << 16
"""No op has more of them."""
HALVES = ("forward", "backward")
"""What a compilation is in, by which pictures name their parts."""


class Consistency:
    """What has been said so far, as far as later events refer to it."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.described: set[str] = set()
        self.edges: dict[str, Sequence[e.Edge | None]] = {}
        self.first: e.Event | None = None
        self.is_stopped = False

    def add(self, event: e.Event) -> None:
        """Take an event down. Raises ValueError for one that does not fit."""
        self._fits_the_first(event)
        self._ids(event)
        match event:
            case e.TensorCreated(tensor=facts) | e.TensorDetached(tensor=facts):
                self.described.add(facts.id)
            case e.OpApplied():
                _operands(event)
                self._node(event)
            case e.NodeMet():
                self._node(event)
            case e.TensorSaved():
                self._is_described(event)
                self._has_run(event.node, event)
            case e.NodeEvaluated():
                self._has_run(event.node, event)
            case e.GradientSent():
                self._edge(event)
            case e.GradientsAdded():
                _output(event.index)
            case e.BackwardStarted():
                _roots(event)
            case e.RecordingStopped():
                self.is_stopped = True
            case e.OperationsFused() | e.OperationsOrdered() | e.ProgramWritten() | e.ViewsMade() | e.BufferPlanned():
                _half(event.half)

    def _fits_the_first(self, event: e.Event) -> None:
        self.first = self.first or event
        if isinstance(self.first, e.CompilingEvent) and not isinstance(self.first, e.FunctionCaptured):
            raise ValueError(f"a compilation begins with function_captured, not with {self.first.kind}")
        if isinstance(event, e.FunctionCaptured) and event is not self.first:
            raise ValueError("a trace is of one compilation, and a second function_captured begins here")
        if isinstance(event, e.CompilingEvent) is not isinstance(self.first, e.CompilingEvent):
            raise ValueError(f"a {event.kind} event stands in the same trace as {self.first.kind}")
        if self.is_stopped:
            raise ValueError(f"a {event.kind} event follows recording_stopped, which is the last one")

    def _ids(self, event: e.Event) -> None:
        for letter, name in spelled(event):
            if name[:1] != letter or not ID.fullmatch(name):
                raise ValueError(f"an id should be {letter!r} and a number such as {letter}12, not {name[:20]!r}")
        self._is_new(event)
        self.known.update(introduces(event))
        if missing := [name for name in mentions(event) if name not in self.known]:
            raise ValueError(f"a {event.kind} event mentions {missing[0]!r}, which no line before it introduces")

    def _is_new(self, event: e.Event) -> None:
        """What an event makes was not there before, so that no chain of nodes or operations ends where it began."""
        if isinstance(event, e.OpApplied | e.NodeMet) and event.node in self.known:
            raise ValueError(f"{event.node} is made by a {event.kind} event, and was there before")
        if isinstance(event, e.OperationCaptured):
            made = event.operation.id, *(array.id for array in event.operation.results)
            if old := [name for name in made if name in self.known]:
                raise ValueError(f"{old[0]} is captured, and was there before")

    def _is_described(self, event: e.TensorSaved) -> None:
        """What is saved has a version to compare: of a `.grad` that nobody has used yet only the id is known."""
        if event.tensor is not None and event.tensor not in self.described:
            raise ValueError(f"{event.node} saves {event.tensor}, and no line before it describes that tensor")

    def _node(self, event: e.OpApplied | e.NodeMet) -> None:
        _outputs(event)
        self.described.update(facts.id for facts in event.outputs)
        for edge in event.edges:
            if edge is not None:
                _output(edge.index)
        if event.node is not None:
            self.edges[event.node] = event.edges

    def _has_run(self, node: str, event: e.Event) -> None:
        if node not in self.edges:
            raise ValueError(f"a {event.kind} event is about {node}, which is no node of an op")
        if isinstance(event, e.NodeEvaluated) and len(event.gradients) != len(self.edges[node]):
            count = len(self.edges[node])
            raise ValueError(f"{node} has {count} edges, and node_evaluated tells {len(event.gradients)} gradients")

    def _edge(self, event: e.GradientSent) -> None:
        edges = self.edges.get(event.node, ())
        if event.edge >= len(edges) or edges[event.edge] is None:
            raise ValueError(f"a gradient is sent along edge {event.edge} of {event.node}, which has no such edge")


def _operands(event: e.OpApplied) -> None:
    for operand in event.operands:
        if operand.edge is not None and operand.edge >= len(event.edges):
            raise ValueError(f"an operand has edge {operand.edge}, and the op has {len(event.edges)} edges")


def _outputs(event: e.OpApplied | e.NodeMet) -> None:
    if not event.outputs:
        raise ValueError(f"{event.name[:40]} has no output")


def _output(index: int) -> None:
    if index >= MOST_OUTPUTS:
        raise ValueError(f"an op has no output {index}; at most {MOST_OUTPUTS:,} are read")


def _half(name: str) -> None:
    if name not in HALVES:
        raise ValueError(f"a half of a compilation is {' or '.join(HALVES)}, not {name[:20]!r}")


def _roots(event: e.BackwardStarted) -> None:
    if not len(event.tensors) == len(event.roots) == len(event.gradients):
        raise ValueError("backward_started should tell as many tensors as roots and gradients")
    for root in event.roots:
        _output(root.index)
