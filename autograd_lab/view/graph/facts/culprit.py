"""Culprits: where backward stopped or can no longer run, and what brought that about. Folding must not hide them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lab import events as e

FEW = 3
"""Nodes with a stale slot that are culprits while no error tells which of them matters: the first ones."""

TOLD = frozenset({
    e.TensorCreated, e.OpApplied, e.NodeMet, e.TensorDetached, e.TensorSaved, e.SavedFreed, e.GraphReleased,
    e.TensorModified, e.ErrorRaised,
})  # fmt: skip
"""Kinds of events that tell of any; most events do not."""


@dataclass(slots=True)
class Watch:
    """What is found by seeing all events: the nodes at which backward `stopped`, and those with a slot that was ever
    `stale`, with the number of the op that overwrote it, if an op did."""

    stale: dict[str, int | None] = field(default_factory=dict)
    slots: set[tuple[str, str]] = field(default_factory=set)
    """Those slots, by their nodes and names."""
    stopped: list[str] = field(default_factory=list)
    _counters: dict[str, str] = field(default_factory=dict)
    _savers: dict[str, list[e.TensorSaved]] = field(default_factory=lambda: defaultdict(list))
    _freed: set[str] = field(default_factory=set)
    _ops: int = 0
    _writer: tuple[str, int] | None = None

    def is_ever_stale(self, nodes: Iterable[str | None]) -> bool:
        """Whether what any of some nodes saved is ever overwritten."""
        return any(node in self.stale for node in nodes)

    def see(self, event: e.Event) -> None:
        """Take note of the next event."""
        if type(event) not in TOLD:
            return
        match event:
            case e.TensorCreated(tensor=facts):
                self._meet((facts,))
            case e.OpApplied(wrote_in_place=in_place, outputs=outputs):
                self._writer = (outputs[0].id, self._ops) if in_place else None
                self._ops += 1
                self._meet(outputs)
            case e.NodeMet(outputs=outputs):
                self._ops += 1
                self._meet(outputs)
            case e.TensorDetached(tensor=facts):
                self._ops += 1
                self._meet((facts,))
            case e.TensorSaved(tensor=tensor) if tensor is not None:
                self._savers[self._counters.get(tensor, "")].append(event)
            case e.SavedFreed(node=node):
                self._freed.add(node)
            case e.GraphReleased(nodes=nodes):
                self._freed.update(nodes)
            case e.TensorModified():
                self._written(event)
            case e.ErrorRaised(node=node) if node is not None:
                self.stopped.append(node)

    def culprits(self) -> list[tuple[str, int | None]]:
        """The nodes at which backward stopped, else the first that cannot run any more, each with who overwrote."""
        return [(node, self.stale.get(node)) for node in self.stopped or list(self.stale)[:FEW]]

    def _meet(self, outputs: Iterable[e.TensorFacts]) -> None:
        for facts in outputs:
            self._counters[facts.id] = facts.counter

    def _written(self, event: e.TensorModified) -> None:
        by = self._writer[1] if self._writer is not None and self._writer[0] == event.tensor else None
        for saved in self._savers.get(self._counters.get(event.tensor, ""), ()):
            if saved.version != event.version and saved.node not in self._freed:
                self.stale.setdefault(saved.node, by)
                self.slots.add((saved.node, saved.slot))
