"""Backward passes, seen from hooks on the nodes that they may reach; the hooks are taken off when the pass is over."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from types import FrameType
from typing import Any

import torch

from autograd_lab import events
from autograd_lab.recording.recorder import Recorder
from autograd_lab.recording.source import NOWHERE, Site
from autograd_lab.recording.values import same
from autograd_lab.torch_bridge import nodes
from autograd_lab.torch_bridge.routes import Pass, Routes
from autograd_lab.torch_bridge.stack import Whose, whose
from autograd_lab.torch_bridge.tensors import copied, far, sent, taken, taken_again, taken_like
from autograd_lab.torch_bridge.totals import Key
from autograd_lab.torch_bridge.writes import is_alone, is_shared_out

SUMS = {"add", "add_"}


class Passes(Routes):
    """What happens inside `backward`."""

    def __init__(self, beside: Recorder) -> None:
        super().__init__(beside)
        self._passes: list[Pass] = []
        self._watched: set[str] = set()
        self._kept: dict[str, tuple[weakref.ref[Any], str]] = {}
        self.functions: Any = None
        self.kernels: Any = None

    # --- the pass as a whole -----------------------------------------------------------------------------------------

    def run(self, call: Any, now: Pass) -> Any:
        """Make the call that runs a pass, and tell what it does."""
        depth, self._depth, mode, self.mode = self._depth, 0, self.mode, now.create_graph
        with self.look:
            self._passes.append(now)
            self._ids.pass_begins()
            self._watch_nodes(now)
        try:
            with nullcontext() if now.create_graph else self.kernels.aside():
                result = call()
        except BaseException as error:
            with self.look:
                self._stopped(now, error)
            raise
        else:
            with self.look:
                self._between()
                self._start(now)
                self._tell_shared(now)
                self.backward_finished()
                far.fetch()
            return result
        finally:
            self._depth, self.mode = depth, mode
            self._leave(now)

    def _leave(self, now: Pass) -> None:
        """Take the hooks of a pass off the nodes."""
        self._passes.remove(now)
        if not self._passes:
            with self.look:
                self._ids.pass_is_over()
        for handle in now.handles:
            handle.remove()
        self._watched.difference_update(now.watched)
        now.graph.nodes.clear()

    def _stopped(self, now: Pass, error: BaseException) -> None:
        if "appears to not have been used in the graph" in str(error):
            self._between()
            self._start(now)
            self.backward_finished()
            return
        if not now.started:
            if isinstance(error, RuntimeError):
                self.error_raised(error, None, None, now.tensors[0] if now.tensors else None)
            return
        self.settle()
        if now.ran is not None:
            self._tell_freed(now, now.ran)
        if now.visiting is not None and isinstance(error, RuntimeError):
            self.error_raised(error, now.visiting, nodes.unusable_slot(now.visiting), None)
        self.exception_left(error)
        self.backward_left()

    def _watch_nodes(self, now: Pass) -> None:
        at_node = self._at_node
        for identity, node in now.graph.nodes.items():
            if identity not in self._watched and (now.reached is None or identity in now.reached):
                self._watched.add(identity)
                now.watched.append(identity)
                before = node.register_prehook(partial(at_node, identity, False))
                after = node.register_hook(partial(at_node, identity, False))
                now.handles += before, after
                if _has_others(before):
                    now.handles.append(_first(node.register_prehook(partial(at_node, identity, True))))
                if _has_others(after):
                    now.handles.append(_first(node.register_hook(partial(at_node, identity, True))))

    def _at_node(
        self, identity: str, is_first: bool, gradients: tuple[Any, ...], arrived: tuple[Any, ...] | None = None
    ) -> None:
        """Called by torch at a node, before it runs or after, before the user's hooks or after; returns no gradient."""
        with self.look.lock:
            if self._passes and not self.busy:
                before, after = (self._arrived, self._computed) if is_first else (self._visited, self._ran)
                with self.look:
                    (before if arrived is None else after)(identity, gradients)

    def keep_gradients(self, tensors: Sequence[Any]) -> None:
        """Gradients of these, unless they are leaves, are kept in their `.grad` from now on."""
        for tensor in tensors:
            if isinstance(tensor, torch.Tensor) and not tensor.is_leaf:
                self._kept[self._id(tensor)] = weakref.ref(tensor), self._node(tensor.grad_fn)

    def _note_made(self, node: Any, outputs: tuple[Any, ...]) -> None:
        super()._note_made(node, outputs)
        for output in outputs if self._kept else ():
            if (name := self._id(output)) in self._kept:  # a view whose base was written to
                self._kept[name] = self._kept[name][0], self._node(node)

    def _kept_at(self, identity: str) -> Iterator[tuple[int, Any]]:
        """Tensors whose gradients are kept, and that a node made as such an output: the last one."""
        for name, (ref, node) in list(self._kept.items()):
            tensor = ref()
            if tensor is None:
                del self._kept[name]
            elif (node if tensor._is_view() else self._node(tensor.grad_fn)) == identity:
                yield tensor.output_nr, tensor

    @contextmanager
    def watching(self) -> Iterator[None]:
        """See what a hook of the program's does inside a pass."""
        with self.functions:
            self.kernels.again()
            try:
                yield
            finally:
                self.kernels.no_more()

    def _here(self) -> tuple[Site, FrameType | None]:
        """As for any engine; but no frame of the program's leads to threads of the engine's, of other devices."""
        found = super()._here()
        return self._passes[-1].place if self._passes and found[0] is NOWHERE else found

    # --- node by node ------------------------------------------------------------------------------------------------

    def may_run_python(self, node: Any, identity: str) -> bool:
        """Whether code of the user's may run in a node: in a custom Function, or to unpack what was saved."""
        known = identity in self._ids.introduced
        return not known or identity in self._packers or nodes.is_custom(node)

    def _start(self, now: Pass) -> None:
        if not now.started:
            now.started = True
            edges = tuple((node, number) for node, number in now.roots)
            self.backward_started(now.tensors, edges, now.seeds, now.retain_graph, now.create_graph)
            for node, _ in edges:
                identity = self._node(node)
                now.arrived[identity] = now.arrived.get(identity, 0) + 1
            now.holds.update((self._node(node), number) for node, number in edges)

    def _gathered(self, now: Pass, identity: str, gradients: tuple[Any, ...]) -> None:
        """All gradients have arrived at a node, and hooks on tensors have been called."""
        self._between()
        self._start(now)
        now.sums.visited(identity, len(gradients))
        for number, tensor in self._kept_at(identity) if self._kept else ():
            if gradients[number] is not None:
                is_first = self._grads_of.get(self._id(tensor)) is None
                self.grad_accumulated(tensor, taken(gradients[number]), is_first)

    def _arrived(self, identity: str, gradients: tuple[Any, ...]) -> None:
        """Hooks of the user's on a node, before it runs, are about to be called."""
        now = self._passes[-1]
        self._gathered(now, identity, gradients)
        now.hooked = [None if g is None else copied(g) for g in gradients]
        self._lets_in(now)

    def _visited(self, identity: str, gradients: tuple[Any, ...]) -> None:
        now = self._passes[-1]
        node = now.graph.nodes[identity]
        leaf = getattr(node, "variable", None)
        if now.hooked is None:
            self._gathered(now, identity, gradients)
        else:
            self._shuts_out(now)
            self._tell_hooked(now, "node_pre", node, gradients)
        if leaf is not None and (gradients[0] is None or not leaf.requires_grad):
            return
        if self._ids.ledger.any_open:
            self._look_at_saved(node)
        resting = now.resting.pop
        arrived = tuple([taken_again(g, resting((identity, at), None)) for at, g in enumerate(gradients)])
        self._push((events.NodeVisited.kind, self._pass.number, identity, arrived))
        if leaf is not None:
            now.leaf_gradient, now.is_first = arrived[0], leaf.grad is None
            return
        now.visiting = node
        if self.may_run_python(node, identity):
            self._lets_in(now)

    def _lets_in(self, now: Pass) -> None:
        """Code of the user's may run in a node, or in its hooks; torch has put the mode aside."""
        self.functions.__enter__()
        self.kernels.again()
        now.entered += 1

    def _shuts_out(self, now: Pass) -> None:
        if now.entered:
            now.entered -= 1
            self.kernels.no_more()
            self.functions.__exit__(None, None, None)
        self.settle()

    def _tell_hooked(self, now: Pass, kind: str, node: Any, after: Sequence[Any]) -> None:
        """The user's hooks on a node have been called; of which of them did what, nothing is known."""
        before, now.hooked = now.hooked or [], None
        self.hook_called(kind, None, node, before, after)

    def _computed(self, identity: str, gradients: tuple[Any, ...]) -> None:
        """Hooks of the user's on a node, after it ran, are about to be called."""
        now = self._passes[-1]
        self.settle()
        node = now.graph.nodes[identity]
        if hasattr(node, "variable"):
            self.accumulated(node.variable)
        else:
            self._evaluated(now, identity, gradients)
            if not now.entered:
                self._lets_in(now)
        now.hooked = [None if g is None else copied(g) for g in gradients]

    def _ran(self, identity: str, gradients: tuple[Any, ...]) -> None:
        now = self._passes[-1]
        self._shuts_out(now)
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
        made = tuple([None if key is None else value for value, key in pairs])
        self._push((events.NodeEvaluated.kind, self._pass.number, identity, made))
        now.told = len(self._raw)

    def _compute(self, now: Pass, identity: str, gradients: Sequence[Any]) -> None:
        edges, meeting = now.graph.edges[identity], now.graph.meeting
        now.values = tuple([None if g is None else taken(g) for g in gradients])
        for key, gradient, value in zip(edges, gradients, now.values, strict=False):
            if key is not None and meeting[key] == 1 and (note := sent(gradient, value)) is not None:
                now.resting[key] = note
        now.sums.computed(edges, gradients)

    def accumulated(self, leaf: Any) -> None:
        """A leaf's gradient has been added to its `.grad`; told once, before the hooks that see it."""
        now = self._passes[-1]
        if now.leaf_gradient is not None:
            gradient, now.leaf_gradient = now.leaf_gradient, None
            total = taken_like(leaf.grad, gradient) if now.is_first else None
            self.grad_accumulated(leaf, gradient, now.is_first, total)
            if is_shared_out():
                now.shared.append((weakref.ref(leaf), self._id(leaf.grad), taken(leaf.grad)))

    def _tell_shared(self, now: Pass) -> None:
        """Tell of gradients that are other ones than was told, since processes have added theirs up."""
        for ref, identity, value in now.shared:
            grad = None if (leaf := ref()) is None else leaf.grad
            if grad is None or self._id(grad) != identity:
                continue
            if same(value, taken(grad)) if grad.is_cpu else is_alone():
                self._ids.ledger.keep(identity, self._version_of(grad), value)
            else:
                self._modified(grad, "all_reduce", self._pass)

    def _between(self) -> None:
        """Tell what happens after one node and before the next: saved values are freed, gradients are sent."""
        self.settle()
        if self._passes:
            self._send(self._passes[-1])

    def before_op(self) -> None:
        if self._passes:
            self._send(self._passes[-1], up_to_a_sum=True)

    def _send(self, now: Pass, up_to_a_sum: bool = False) -> None:
        """Send what the last node computed; maybe only up to where gradients meet whose sum is still to come."""
        if now.ran is None or now.hooked is not None:
            return
        self._tell_freed(now, now.ran)
        edges = now.graph.edges[now.ran]
        while now.edge < min(len(edges), len(now.values)):
            at, key = now.edge, edges[now.edge]
            if key is not None and (now.reached is None or key[0] in now.reached):
                meets = key in now.holds and now.values[at] is not None
                if meets and up_to_a_sum and not now.totals:
                    return
                self._send_one(now, now.ran, at, key)
            now.edge += 1
        now.ran = None
        now.totals.clear()

    def _send_one(self, now: Pass, sender: str, at: int, key: Key) -> None:
        target, value = key[0], now.values[at]
        arrived = now.arrived[target] = now.arrived.get(target, 0) + 1
        here, expected = self._pass.number, now.graph.expected[target]
        self._push((events.GradientSent.kind, here, sender, at, value, arrived, expected))
        if value is None:
            return
        total = now.sums.sent(at, key)
        if total is not None:
            self._push((events.GradientsAdded.kind, here, *key, taken(total)))
        elif key in now.holds and now.totals:
            self._push((events.GradientsAdded.kind, here, *key, now.totals.pop(0)))
        now.holds.add(key)

    def _tell_freed(self, now: Pass, identity: str) -> None:
        if now.freed_told:
            return
        now.freed_told, node = True, now.graph.nodes[identity]
        saves = identity in self._savers if nodes.is_custom(node) else nodes.has_slots(node)
        if saves and (now.retain_graph or nodes.is_freed(node)):
            late = self.releases_since(now.told)  # of what only this node led to, when it let go
            kind = events.SavedRetained.kind if now.retain_graph else events.SavedFreed.kind
            self._push((kind, self._pass.number, identity))
            self._raw.extend(late)

    def in_recorded_pass(self) -> bool:
        return bool(self._passes) and self._passes[-1].create_graph

    def in_engine(self, op: Any, result: Any) -> None:
        """Gradients that met were added: the only thing that the engine does between two nodes."""
        sends = self.in_recorded_pass() and self._passes[-1].ran is not None
        if sends and op._schema.name.rpartition("::")[2] in SUMS and isinstance(result, torch.Tensor):
            with self.look:
                self._passes[-1].totals.append(taken(result))


def _has_others(handle: Any) -> bool:
    """Whether the user has hung hooks on the node that a hook hangs on, rather than a recording or a trainer."""
    return any(_is_users(hook) for hook in handle.hooks_dict_ref().values())


def _is_users(hook: Any) -> bool:
    while isinstance(hook, partial):
        hook = hook.func
    function = getattr(hook, "__func__", hook)
    code = getattr(function, "__code__", None)
    return function is not Passes._at_node and (code is None or whose(code) is not Whose.RUNNERS)


def _first(handle: Any) -> Any:
    """Have a hook called before the others that hang on its node."""
    hooks = handle.hooks_dict_ref()
    for name in [name for name in hooks if name != handle.id]:
        hooks[name] = hooks.pop(name)
    return handle
