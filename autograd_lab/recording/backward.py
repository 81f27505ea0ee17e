"""Backward passes: the part of a recorder that takes down which nodes run, and what gradients go where."""

from __future__ import annotations

import weakref
from typing import Any

from autograd_lab import events
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.on_the_way import OnTheWay
from autograd_lab.recording.program.source import NOWHERE
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.values.snapshot import Snapshot
from autograd_lab.recording.whereabouts import Whereabouts
from autograd_lab.recording.writes import Writes

VISITED, EVALUATED, SENT = events.NodeVisited.kind, events.NodeEvaluated.kind, events.GradientSent.kind


class Backward:
    """Tells of passes, node by node."""

    def __init__(
        self, tape: Tape, whereabouts: Whereabouts, way: OnTheWay, notices: Notices, first_sight: FirstSight,
        writes: Writes,
    ) -> None:  # fmt: skip
        self._tape, self._node, self._nodes, self._ledger = tape, tape.node, tape.ids.nodes, tape.ids.ledger
        self._here, self._way = whereabouts.now, way
        self._notices, self._first_sight, self._writes = notices, first_sight, writes
        self._receivers: dict[int, weakref.ref[Any]] = {}

    def backward_started(
        self, tensors: Any, edges: Any, gradients: Any, retain_graph: bool, create_graph: bool
    ) -> None:
        """A pass begins with gradients of these tensors, which go to these edges."""
        site, frame = self._here()
        self._way.begin(site)
        for tensor in tensors:
            self._notices.look_again(tensor, self._first_sight.met(tensor, site, frame))
        ids = tuple(map(self._tape.id, tensors))
        seeds = tuple(map(self._tape.snapshot, gradients))
        roots = tuple(map(self._first_sight.edge, edges))
        modes = bool(retain_graph), bool(create_graph)
        self._tape.push((events.BackwardStarted.kind, site.number, ids, roots, seeds, *modes))

    def node_visited(self, node: Any, gradients: Any) -> None:
        """A node is about to run; these have arrived."""
        way = self._way
        if self._ledger.any_open:
            self._notices.look_at_saved(node)
        values = (way.arrive(gradients[0]),) if len(gradients) == 1 else tuple(map(way.arrive, gradients))
        if not node.next_functions:  # it is a leaf's
            way.reach(gradients[0], values[0])
        identity = self._nodes.get(id(node)) or self._node(node)
        self._tape.push((VISITED, way.site.number, identity, values))

    def node_evaluated(self, node: Any, gradients: Any) -> None:
        """A node has computed gradients, of which those that go anywhere set out."""
        way, values = self._way, []
        for gradient, edge in zip(gradients, node.next_functions, strict=False):
            values.append(None if gradient is None or edge[0] is None else way.take(gradient))
        identity = self._nodes.get(id(node)) or self._node(node)
        self._tape.push((EVALUATED, way.site.number, identity, tuple(values)))

    def saved_freed(self, node: Any) -> None:
        """A node has let go of what it saved."""
        self._tape.push((events.SavedFreed.kind, self._way.site.number, self._node(node)))

    def saved_retained(self, node: Any) -> None:
        """A node keeps what it saved, though it has run."""
        self._tape.push((events.SavedRetained.kind, self._way.site.number, self._node(node)))

    def gradient_sent(self, node: Any, edge: int, gradient: Any, arrived: int, expected: int) -> None:
        """A gradient goes along an edge of a node, to where that many have arrived of those expected."""
        way, value = self._way, None
        if gradient is not None:  # mostly it was taken when it was computed
            taken = way.taken.get(id(gradient))
            value = way.take(gradient) if taken is None else taken[1]
        identity = self._nodes.get(id(node)) or self._node(node)
        self._tape.push((SENT, way.site.number, identity, edge, value, arrived, expected))

    def gradients_added(self, node: Any, index: int, total: Any) -> None:
        """Gradients that met at an output of a node were added; their sum goes on in their place."""
        value = self._way.take(total)
        self._tape.push((events.GradientsAdded.kind, self._way.site.number, self._node(node), index, value))

    def grad_accumulated(self, tensor: Any, added: Any, is_first: bool, total: Snapshot | None = None) -> None:
        """A gradient came to a tensor's `.grad`, which was None if it `is_first`."""
        tape, here = self._tape, self._way.site
        grad = tape.reader.grad_of(tensor)
        self._receivers[id(tensor)] = weakref.ref(tensor)
        tensor_id, grad_id = tape.id(tensor), tape.ids.first(grad) if is_first else tape.id(grad)
        is_new, value = grad_id not in self._notices.grads, self._way.stay(added)
        if total is None:
            total = tape.snapshot(grad)
        tape.push((events.GradAccumulated.kind, here.number, tensor_id, grad_id, value, total, is_first))
        self._notices.keep(tensor_id, grad_id, tape.version_of(grad), total)
        if not is_new and grad_id in tape.ids.described and here is not NOWHERE:
            self._writes.modified(grad, "AccumulateGrad", here)

    def backward_finished(self) -> None:
        """The pass is over."""
        self._tape.push((events.BackwardFinished.kind, self._way.site.number))
        self.backward_left()

    def backward_left(self) -> None:
        """The pass is over, be it by an error; the one that it was begun in goes on."""
        self._way.leave()

    def leaves(self) -> list[Any]:
        """The leaves that have received gradients, as far as they still live."""
        receivers = [ref() for ref in self._receivers.values()]
        return [tensor for tensor in receivers if tensor is not None and tensor.is_leaf]
