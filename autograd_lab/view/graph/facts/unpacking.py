"""When a trace tells of what runs since a node in backward lacks what it had saved: recomputations, and hooks."""

from __future__ import annotations

from autograd_lab import events as e

TOLD = frozenset({e.TensorSaved, e.OpApplied, e.NodeVisited, e.NodeEvaluated, e.ErrorRaised})
"""Kinds of events that tell of it."""


class Unpacking:
    """Sees all events; `now` says whether a node waits for what is kept elsewhere to come back.

    A reentrant checkpoint packs nothing: its own node runs its part again, in a backward pass of its own.
    """

    def __init__(self) -> None:
        self._keepers: set[str] = set()
        self._waiting: list[str] = []

    @property
    def now(self) -> bool:
        """Whether what the last event told of happened for the sake of such a node."""
        return bool(self._waiting)

    def see(self, event: e.Event) -> None:
        """Take the next event."""
        if type(event) not in TOLD:
            return
        match event:
            case e.TensorSaved(packed=True, node=node) | e.OpApplied(name="CheckpointFunctionBackward", node=str(node)):
                self._keepers.add(node)
            case e.NodeVisited(node=node) if node in self._keepers:
                self._waiting.append(node)
            case e.NodeEvaluated(node=node) if self._waiting and self._waiting[-1] == node:
                self._waiting.pop()
            case e.ErrorRaised():
                self._waiting.clear()
