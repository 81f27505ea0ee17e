"""A pass node by node: what arrives at each, what it computes, what comes to the leaves."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from autograd_lab import events
from autograd_lab.recording.values.snapshot import same
from autograd_lab.torch_bridge.modes import Modes
from autograd_lab.torch_bridge.ops.due import Due
from autograd_lab.torch_bridge.ops.quiet_writes import is_alone, is_shared_out
from autograd_lab.torch_bridge.passes.kept import KeptGradients
from autograd_lab.torch_bridge.passes.routes import Pass
from autograd_lab.torch_bridge.passes.sending import Sending
from autograd_lab.torch_bridge.reading import nodes
from autograd_lab.torch_bridge.reading.tensors import copy_of, note_of, snapshot_again, snapshot_like, snapshot_of
from autograd_lab.torch_bridge.torch_recorder import TorchParts, TorchTape
from autograd_lab.torch_bridge.underway import Underway


class NodesRun:
    """Tells of the nodes of the innermost pass as they run."""

    def __init__(
        self, tape: TorchTape, parts: TorchParts, modes: Modes, underway: Underway, kept: KeptGradients, due: Due,
        sending: Sending,
    ) -> None:  # fmt: skip
        self._tape, self._ids, self._way = tape, tape.ids, parts.way
        self._backward, self._hooks = parts.backward, parts.hooks
        self._notices, self._writes = parts.notices, parts.writes
        self._modes, self._underway, self._kept, self._due, self._sending = modes, underway, kept, due, sending

    def start(self, now: Pass) -> None:
        """A pass begins, unless it has; it may fail before."""
        if not now.started:
            now.started = True
            self._backward.backward_started(now.tensors, now.roots, now.seeds, now.retain_graph, now.create_graph)
            for node, _ in now.roots:
                identity = self._tape.node(node)
                now.arrived[identity] = now.arrived.get(identity, 0) + 1
            now.holds.update((self._tape.node(node), number) for node, number in now.roots)

    # --- before a node runs ------------------------------------------------------------------------------------------

    def _gather(self, now: Pass, identity: str, gradients: tuple[Any, ...]) -> None:
        """All gradients have arrived at a node, and hooks on tensors have been called."""
        self._sending.between()
        self.start(now)
        now.sums.visited(identity, len(gradients))
        for number, tensor in self._kept.at(identity) if self._kept else ():
            if gradients[number] is not None:
                is_first = self._notices.grads_of.get(self._tape.id(tensor)) is None
                self._backward.grad_accumulated(tensor, snapshot_of(gradients[number]), is_first)

    def arrived(self, identity: str, gradients: tuple[Any, ...]) -> None:
        """Hooks of the user's on a node, before it runs, are about to be called."""
        now = self._underway.now
        self._gather(now, identity, gradients)
        now.hooked = [None if g is None else copy_of(g) for g in gradients]
        self._let_in(now)

    def visited(self, identity: str, gradients: tuple[Any, ...]) -> None:
        """A node is about to run."""
        now = self._underway.now
        node = now.graph.nodes[identity]
        leaf = getattr(node, "variable", None)
        if now.hooked is None:
            self._gather(now, identity, gradients)
        else:
            self._shut_out(now)
            self._tell_hooked(now, "node_pre", node, gradients)
        if leaf is not None and (gradients[0] is None or not leaf.requires_grad):
            return
        if self._ids.ledger.any_open:
            self._notices.look_at_saved(node)
        resting = now.resting.pop
        values = tuple([snapshot_again(g, resting((identity, at), None)) for at, g in enumerate(gradients)])
        self._tape.push((events.NodeVisited.kind, self._way.site.number, identity, values))
        if leaf is not None:
            now.leaf_gradient, now.is_first = values[0], leaf.grad is None
            return
        now.visiting = node
        if self._may_run_python(node, identity):
            self._let_in(now)

    def _may_run_python(self, node: Any, identity: str) -> bool:
        """Whether code of the user's may run in a node: in a custom Function, or to unpack what was saved."""
        known = identity in self._ids.introduced
        return not known or identity in self._tape.reader.packers or nodes.is_custom(node)

    def _let_in(self, now: Pass) -> None:
        """Code of the user's may run in a node, or in its hooks."""
        self._modes.again()
        now.entered += 1

    def _shut_out(self, now: Pass) -> None:
        if now.entered:
            now.entered -= 1
            self._modes.no_more()
        self._due.settle()

    def _tell_hooked(self, now: Pass, kind: str, node: Any, after: Sequence[Any]) -> None:
        """The user's hooks on a node have been called; of which of them did what, nothing is known."""
        before, now.hooked = now.hooked or [], None
        self._hooks.hook_called(kind, None, node, before, after)

    # --- when it has run ---------------------------------------------------------------------------------------------

    def computed(self, identity: str, gradients: tuple[Any, ...]) -> None:
        """Hooks of the user's on a node, after it ran, are about to be called."""
        now = self._underway.now
        self._due.settle()
        node = now.graph.nodes[identity]
        if hasattr(node, "variable"):
            self.accumulated(node.variable)
        else:
            self._evaluated(now, identity, gradients)
            if not now.entered:
                self._let_in(now)
        now.hooked = [None if g is None else copy_of(g) for g in gradients]

    def ran(self, identity: str, gradients: tuple[Any, ...]) -> None:
        """A node has run."""
        now = self._underway.now
        self._shut_out(now)
        node = now.graph.nodes[identity]
        if now.hooked is not None:
            self._tell_hooked(now, "node", node, gradients)
            self._compute(now, identity, gradients)
        elif hasattr(node, "variable"):
            self.accumulated(node.variable)
        else:
            self._evaluated(now, identity, gradients)

    def _evaluated(self, now: Pass, identity: str, gradients: Sequence[Any]) -> None:
        """A node's formula has been computed."""
        now.visiting, now.ran, now.edge, now.freed_told = None, identity, 0, False
        self._compute(now, identity, gradients)
        pairs = zip(now.values, now.graph.edges[identity], strict=False)
        values = tuple([None if key is None else value for value, key in pairs])
        self._tape.push((events.NodeEvaluated.kind, self._way.site.number, identity, values))
        now.told = len(self._tape.raw)

    def _compute(self, now: Pass, identity: str, gradients: Sequence[Any]) -> None:
        edges, meeting = now.graph.edges[identity], now.graph.meeting
        now.values = tuple([None if g is None else snapshot_of(g) for g in gradients])
        for key, gradient, value in zip(edges, gradients, now.values, strict=False):
            if key is not None and meeting[key] == 1 and (note := note_of(gradient, value)) is not None:
                now.resting[key] = note
        now.sums.computed(edges, gradients)

    # --- what comes to the leaves ------------------------------------------------------------------------------------

    def accumulated(self, leaf: Any) -> None:
        """A leaf's gradient has been added to its `.grad`; told once, before the hooks that see it."""
        now = self._underway.now
        if now.leaf_gradient is not None:
            gradient, now.leaf_gradient = now.leaf_gradient, None
            total = snapshot_like(leaf.grad, gradient) if now.is_first else None
            self._backward.grad_accumulated(leaf, gradient, now.is_first, total)
            if is_shared_out():
                now.shared.append((weakref.ref(leaf), self._tape.id(leaf.grad), snapshot_of(leaf.grad)))

    def tell_shared(self, now: Pass) -> None:
        """Tell of gradients that are other ones than was told, since processes have added theirs up."""
        for ref, identity, value in now.shared:
            grad = None if (leaf := ref()) is None else leaf.grad
            if grad is None or self._tape.id(grad) != identity:
                continue
            if same(value, snapshot_of(grad)) if grad.is_cpu else is_alone():
                self._ids.ledger.keep(identity, self._tape.version_of(grad), value)
            else:
                self._writes.modified(grad, "all_reduce", self._way.site)
