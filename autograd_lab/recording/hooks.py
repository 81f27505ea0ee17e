"""Hooks of the user's: the part of a recorder that takes down that they are hung, and what they do to gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_lab import events
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.on_the_way import OnTheWay
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.whereabouts import Whereabouts


class Hooks:
    """Tells of hooks, on tensors and on nodes."""

    def __init__(self, tape: Tape, whereabouts: Whereabouts, way: OnTheWay, first_sight: FirstSight) -> None:
        self._tape, self._here, self._way, self._first_sight = tape, whereabouts.now, way, first_sight

    def hook_registered(self, kind: str, tensor: Any, node: Any) -> None:
        """A hook was hung on a tensor, or on a node."""
        tape = self._tape
        site, frame = self._here()
        if node is not None and tape.ids.is_new(node):
            self._first_sight.introduce(node)
        elif node is not None and hasattr(node, "variable") and tape.node(node) not in tape.ids.ends:
            tensor, node = node.variable, None  # no edge to this AccumulateGrad has been told yet
        if tensor is not None:
            self._first_sight.met(tensor, site, frame)
        tape.push((events.HookRegistered.kind, site.number, kind, tape.maybe(tensor), tape.maybe_node(node)))

    def hook_called(self, kind: str, tensor: Any, node: Any, before: Sequence[Any], after: Sequence[Any]) -> None:
        """A hook ran, `before` which there were these gradients, in copies, and `after` it these.

        Told of is the first one that it changed, or else the first that there is.
        """
        tape = self._tape
        pairs = [(g, new) for g, new in zip(before, after, strict=False) if g is not None and new is not None]
        changed = next((pair for pair in pairs if not tape.reader.is_same(*pair)), None)
        was, now = changed or (pairs[0][0] if pairs else None, None)
        if changed is not None:
            self._way.forget()
        values = tuple([None if g is None else tape.snapshot(g) for g in (was, now)])
        tensor_id = tape.maybe(tensor) if tensor is None or tape.id(tensor) in tape.ids.described else None
        ids = tensor_id, tape.maybe_node(node)
        tape.push((events.HookCalled.kind, self._way.site.number, kind, *ids, *values))
