"""Which parts of a recording an event can change: by tensor, by node, by the step at which they come to be.

What lines carry and what pockets keep hangs on a few of the events at a node, and these have keys of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from autograd_lab import events as e
from autograd_lab.trace import touches
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.kit.part import Part


def sent_by(node: str) -> str:
    """The key of what a node has sent, and whether it can still send."""
    return f"{node}>"


def saved_by(node: str) -> str:
    """The key of what a node has saved."""
    return f"{node}$"


class Sharing:
    """Who shares a storage or a version counter with whom, and which nodes saved from there."""

    def __init__(self, history: History) -> None:
        self._savers: dict[str, list[str]] = defaultdict(list)
        self._sharers: dict[str, list[str]] = defaultdict(list)
        for box in history.boxes.values():
            for shared in dict.fromkeys((box.facts.counter, *(facts.storage for facts in box.forms))):
                self._sharers[shared].append(box.facts.id)
        for op in history.ops.values():
            for slot in op.slots:
                if slot.tensor is not None:
                    self._savers[slot.tensor].append(slot.node)

    def touched(self, event: e.Event, state: GraphState) -> Iterable[str] | None:
        """The ids that an event can have changed; None for all."""
        if isinstance(event, e.BackwardStarted | e.BackwardFinished | e.ErrorRaised):
            return None
        keys = dict.fromkeys(("frame", f"step{state.step}", *touches(event), *self._reached(state)))
        nodes = [key for key in keys if key[0] == "n"]
        frees = isinstance(event, e.SavedFreed | e.SavedRetained) and state.in_backward
        if not frees and not isinstance(event, e.TensorSaved | e.NodeVisited | e.NodeEvaluated):
            keys |= dict.fromkeys(map(sent_by, nodes))
        if not isinstance(event, e.NodeVisited | e.NodeEvaluated | e.GradientSent | e.GradientsAdded):
            keys |= dict.fromkeys(map(saved_by, nodes))
        return keys

    def _reached(self, state: GraphState) -> Iterator[str]:
        """What changed; a write shows wherever the same memory or counter does, and on the nodes that saved it."""
        for key in state.touched:
            yield key
            for other in self._sharers.get(key, ()):
                yield other
                yield state.grad_of.get(other, other)
                yield from self._savers.get(other, ())


def keys_of(part: Part, history: History) -> Iterator[str]:
    """The ids whose change can change what is true of an op, one of its slots or edges, a tensor or its `.grad`."""
    if (box := history.boxes.get(part.of)) is not None:
        yield from (box.facts.id, f"step{box.born}", box.leaf_node or "")
        yield (history.ops[box.op].node if box.op else None) or ""
        return
    op = history.ops[part.of]
    yield from (op.node or "", f"step{op.born}")
