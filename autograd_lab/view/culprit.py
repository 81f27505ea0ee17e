"""Culprits: the ops that folding must not hide: where backward stopped or will, and those that brought it about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lab.events import (
    ErrorRaised,
    Event,
    GraphReleased,
    NodeMet,
    OpApplied,
    SavedFreed,
    TensorDetached,
    TensorModified,
    TensorSaved,
)
from autograd_lab.view.history import History

FEW = 3
"""Nodes with a stale slot that are culprits while no error tells which of them matters: the first ones."""


@dataclass(slots=True)
class _Watch:
    """What is found on the way: which nodes backward stopped at, and which saved what was overwritten by which op."""

    counter_of: dict[str, str]
    savers: dict[str, list[TensorSaved]] = field(default_factory=lambda: defaultdict(list))
    freed: set[str] = field(default_factory=set)
    stale: dict[str, str | None] = field(default_factory=dict)
    stopped: list[str] = field(default_factory=list)
    ops: int = 0
    writer: tuple[str, str] | None = None

    def see(self, event: Event) -> None:
        match event:
            case OpApplied(wrote_in_place=in_place, outputs=outputs):
                self.writer = (outputs[0].id, f"o{self.ops}") if in_place else None
                self.ops += 1
            case NodeMet() | TensorDetached():
                self.ops += 1
            case TensorSaved(tensor=tensor) if tensor is not None:
                self.savers[self.counter_of.get(tensor, tensor)].append(event)
            case SavedFreed(node=node):
                self.freed.add(node)
            case GraphReleased(nodes=nodes):
                self.freed.update(nodes)
            case TensorModified():
                self._written(event)
            case ErrorRaised(node=node) if node is not None:
                self.stopped.append(node)

    def _written(self, event: TensorModified) -> None:
        by = self.writer[1] if self.writer is not None and self.writer[0] == event.tensor else None
        for saved in self.savers.get(self.counter_of.get(event.tensor, event.tensor), ()):
            if saved.version != event.version and saved.node not in self.freed:
                self.stale.setdefault(saved.node, by)


def culprits_of(events: Iterable[Event], history: History) -> frozenset[str]:
    """The ops at which backward stopped, else the first ones that can no longer run, and those that overwrote."""
    watch = _Watch({box.facts.id: box.facts.counter for box in history.boxes.values()})
    for event in events:
        watch.see(event)
    nodes = watch.stopped or list(watch.stale)[:FEW]
    ops = [history.op_of_node.get(node) for node in nodes] + [watch.stale.get(node) for node in nodes]
    return frozenset(op for op in ops if op is not None)
