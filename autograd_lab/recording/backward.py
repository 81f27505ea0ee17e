"""Backward passes: the part of a recorder that takes down which nodes run, and what gradients go where."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from autograd_lab import events
from autograd_lab.recording.holding import most_held
from autograd_lab.recording.ids import Ids
from autograd_lab.recording.source import NOWHERE, Site
from autograd_lab.recording.values import Snapshot, snapshot


class Backward:
    """The passes that run, one inside the other if a hook begins one; a `Recorder` has the rest of what is needed."""

    _push: Callable[[tuple[Any, ...]], None]
    _id: Callable[[Any], str]
    _node: Callable[[Any], str]
    _edge: Callable[[Any], Any]
    _here: Callable[[], tuple[Site, FrameType | None]]
    _met: Callable[[Any, Site, FrameType | None], str]
    _modified: Callable[[Any, str, Site], None]
    _keeps: Callable[[str, Any, Snapshot], None]
    _look_again: Callable[[Any, str], None]
    _look_at_saved: Callable[[Any], None]
    _ids: Ids
    _grad_of: Callable[[Any], Any]
    _raw: list[tuple[Any, ...]]
    _neighbours: list[Any]

    _snapshot: Callable[[Any], Snapshot] = staticmethod(snapshot)

    def __init__(self) -> None:
        self._grads: set[str] = set()
        self._receivers: dict[int, weakref.ref[Any]] = {}
        self._pass = NOWHERE
        self._outer: list[Site] = []
        self._last: tuple[Any, tuple[Snapshot | None, ...]] = (None, ())
        self._sent: dict[int, tuple[Any, Snapshot]] = {}

    def backward_started(
        self, tensors: Any, edges: Any, gradients: Any, retain_graph: bool, create_graph: bool
    ) -> None:
        site, frame = self._here()
        self._outer.append(self._pass)
        self._pass = site
        for tensor in tensors:
            self._look_again(tensor, self._met(tensor, site, frame))
        ids = tuple(self._id(tensor) for tensor in tensors)
        seeds = tuple(self._snapshot(gradient) for gradient in gradients)
        roots = tuple(map(self._edge, edges))
        self._push(
            (events.BackwardStarted.kind, site.number, ids, roots, seeds, bool(retain_graph), bool(create_graph))
        )

    def node_visited(self, node: Any, gradients: Any) -> None:
        if self._ids.ledger.any_open:
            self._look_at_saved(node)
        taken = tuple([g if g is None else self._taken(g) for g in gradients])
        self._push((events.NodeVisited.kind, self._pass.number, self._node(node), taken))

    def _taken(self, gradient: Any) -> Snapshot:
        """The snapshot of a gradient that has arrived: mostly the one that was taken when it was sent."""
        sent, value = self._sent.pop(id(gradient), (None, None))
        return value if sent is gradient else self._snapshot(gradient)

    def node_evaluated(self, node: Any, gradients: Any) -> None:
        pairs = zip(gradients, node.next_functions, strict=False)
        taken = tuple([None if g is None or edge[0] is None else self._snapshot(g) for g, edge in pairs])
        self._last = gradients, taken
        self._push((events.NodeEvaluated.kind, self._pass.number, self._node(node), taken))

    def saved_freed(self, node: Any) -> None:
        self._push((events.SavedFreed.kind, self._pass.number, self._node(node)))

    def saved_retained(self, node: Any) -> None:
        self._push((events.SavedRetained.kind, self._pass.number, self._node(node)))

    def gradient_sent(self, node: Any, edge: int, gradient: Any, arrived: int, expected: int) -> None:
        gradients, taken = self._last
        same = gradients is not None and edge < len(gradients) and gradients[edge] is gradient
        value = None if gradient is None else taken[edge] if same else self._snapshot(gradient)
        self._sent[id(gradient)] = gradient, value
        self._push((events.GradientSent.kind, self._pass.number, self._node(node), edge, value, arrived, expected))

    def gradients_added(self, node: Any, index: int, total: Any) -> None:
        value = self._snapshot(total)
        self._sent[id(total)] = total, value
        self._push((events.GradientsAdded.kind, self._pass.number, self._node(node), index, value))

    def grad_accumulated(self, tensor: Any, added: Any, is_first: bool, total: Snapshot | None = None) -> None:
        """A gradient came to a tensor's `.grad`, which was None if it `is_first`."""
        grad = self._grad_of(tensor)
        self._receivers[id(tensor)] = weakref.ref(tensor)
        total = self._snapshot(grad) if total is None else total
        ids, taken = (self._id(tensor), self._id(grad)), (self._snapshot(added), total)
        is_new = ids[1] not in self._grads
        self._push((events.GradAccumulated.kind, self._pass.number, *ids, *taken, is_first))
        self._keeps(ids[0], grad, taken[1])
        if not is_new and ids[1] in self._ids.described and self._pass is not NOWHERE:
            self._modified(grad, "AccumulateGrad", self._pass)

    def backward_finished(self) -> None:
        self._push((events.BackwardFinished.kind, self._pass.number))
        self.backward_left()

    def backward_left(self) -> None:
        """The pass is over, be it by an error; the one that it was begun in goes on."""
        self._pass = self._outer.pop() if self._outer else NOWHERE
        self._last = None, ()
        self.forget_sent()

    def forget_sent(self) -> None:
        """No value taken of a gradient on its way holds any more: something was written to, and it may have been it."""
        self._sent.clear()
        self._last = None, ()

    def leaves(self) -> list[Any]:
        """The leaves that have received gradients, as far as they still live."""
        receivers = [ref() for each in (self, *self._neighbours) for ref in each._receivers.values()]
        return [each for each in receivers if each is not None and each.is_leaf]

    def bytes_saved(self) -> int:
        """The most bytes that nodes held at a time, each storage counted once, as far as nobody has read the trace."""
        forms = {name: form for each in (self, *self._neighbours) for name, form in each._ids.described.items()}
        return most_held(self._raw, {name: form[3] for name, form in forms.items()})
