"""Which gradients a pass gives back to the program instead of adding them to a `.grad`: `torch.autograd.grad`."""

from __future__ import annotations

from autograd_lab import events as e

TOLD = frozenset({
    e.BackwardStarted, e.GradientSent, e.GradientsAdded, e.NodeVisited, e.GradAccumulated, e.BackwardFinished,
    e.ErrorRaised, e.RecordingStopped,
})  # fmt: skip
"""Kinds of events that tell of it."""
RETURNED, TO_RETURN = "returned", "to return"
"""What is said of such a gradient where else `.grad` is, once its pass is over and before."""


class Returning:
    """Sees all events: what has come to a leaf whose AccumulateGrad never ran, once its pass is over, was returned.

    `found` has these gradients by AccumulateGrad and number of the pass, `over` the numbers of passes that ended well,
    `sent` which edges brought a gradient in which pass: number, node, and which of its edges; `ran` which nodes ran.
    """

    def __init__(self) -> None:
        self.found: dict[str, dict[int, e.Value]] = {}
        self.over: set[int] = set()
        self.sent: set[tuple[int, str, int]] = set()
        self.ran: dict[int, set[str]] = {}
        self._passes = 0
        self._running: list[tuple[int, dict[str, e.Value]]] = []
        self._leads_to: dict[tuple[str, int], str] = {}

    def see(self, event: e.Event) -> None:
        """Take the next event."""
        if isinstance(event, e.OpApplied | e.NodeMet):
            if event.node is not None:
                self._leads_to |= {
                    (event.node, number): edge.node
                    for number, edge in enumerate(event.edges)
                    if edge is not None and edge.leaf is not None
                }
        elif type(event) in TOLD:
            self._see(event)

    def _see(self, event: e.Event) -> None:
        number, here = self._running[-1] if self._running else (0, {})
        match event:
            case e.BackwardStarted():
                self._passes += 1
                self._running.append((self._passes, {}))
            case e.GradientSent(node=node, edge=edge, value=value):
                if value is None:
                    return
                self.sent.add((number, node, edge))
                if (leaf := self._leads_to.get((node, edge))) is not None:
                    here[leaf] = value
            case e.GradientsAdded(node=node, total=total) if node in here:
                here[node] = total
            case e.NodeVisited(node=node):
                here.pop(node, None)
                self.ran.setdefault(number, set()).add(node)
            case e.BackwardFinished() if self._running:
                self._running.pop()
                self.over.add(number)
                for leaf, value in here.items():
                    self.found.setdefault(leaf, {})[number] = value
            case e.ErrorRaised() | e.RecordingStopped():
                self._running.clear()
