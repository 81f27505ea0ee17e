"""Backward passes, seen from hooks on the nodes that they may reach; the hooks are taken off when the pass is over."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import torch

from autograd_lab.recorder import Recorder
from autograd_lab.torch_bridge import nodes
from autograd_lab.torch_bridge.running import Pass
from autograd_lab.torch_bridge.sums import Sums
from autograd_lab.torch_bridge.tensors import copied, taken
from autograd_lab.torch_bridge.unseen import Unseen
from autograd_lab.torch_bridge.writes import is_shared_out
from autograd_lab.values import same

SUMS = {"add", "add_"}


class Passes(Unseen):
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
            self._census.pass_begins()
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
            return result
        finally:
            self._depth, self.mode = depth, mode
            self._leave(now)

    def _leave(self, now: Pass) -> None:
        """Take the hooks of a pass off the nodes."""
        self._passes.remove(now)
        if not self._passes:
            with self.look:
                self._census.pass_is_over()
        for handle in now.handles:
            handle.remove()
        self._watched.difference_update(now.watched)
        now.nodes.clear()

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
        for identity, node in now.nodes.items():
            if identity not in self._watched and (now.reached is None or identity in now.reached):
                self._watched.add(identity)
                now.watched.append(identity)
                before = node.register_prehook(partial(self._looked, self._visited, identity))
                after = node.register_hook(partial(self._looked, self._ran, identity))
                now.handles += [before, after]
                if _has_others(before):
                    now.handles.append(_first(node.register_prehook(partial(self._looked, self._arrived, identity))))
                if _has_others(after):
                    now.handles.append(_first(node.register_hook(partial(self._looked, self._computed, identity))))

    def _looked(self, then: Any, identity: str, *gradients: Any) -> None:
        """Called by torch at a node; what it returns is no gradient."""
        if self._passes and not self.busy:
            with self.look:
                then(identity, *gradients)

    def plan(
        self, tensors: Sequence[Any], seeds: Sequence[Any], retain_graph: bool, create_graph: bool, inputs: Any
    ) -> Pass:
        """A pass from tensors that require grad, before it runs."""
        roots = tuple(_gradient_edge(tensor) for tensor in tensors)
        found, expected, meeting = self._dependencies(roots)
        sums = Sums({} if create_graph else meeting)
        reached = None if inputs is None else self._on_the_way(found, inputs)
        given = tuple(torch.ones_like(t) if seed is None else seed for t, seed in zip(tensors, seeds, strict=True))
        for (node, number), seed in zip(roots, () if create_graph else given, strict=False):
            sums.begin((self._node(node), number), seed)
        return Pass(
            tuple(tensors), roots, tuple(map(taken, given)), retain_graph, create_graph, reached, found, expected, sums
        )

    def keep_gradients(self, tensors: Sequence[Any]) -> None:
        """Gradients of these, unless they are leaves, are kept in their `.grad` from now on."""
        for tensor in tensors:
            if isinstance(tensor, torch.Tensor) and not tensor.is_leaf:
                self._kept[self._id(tensor)] = weakref.ref(tensor), self._node(tensor.grad_fn)

    def _note_made(self, node: Any, outputs: tuple[Any, ...]) -> None:
        super()._note_made(node, outputs)
        for output in outputs:
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

    def _dependencies(self, roots: Sequence[Any]) -> tuple[dict[str, Any], dict[str, int], dict[tuple[str, int], int]]:
        """All nodes that can be reached, and how many gradients each of them and of their outputs is to receive."""
        found: dict[str, Any] = {}
        counts: dict[str, int] = {}
        meeting: dict[tuple[str, int], int] = {}
        todo = list(roots)
        while todo:
            node, number = todo.pop()
            identity = self._node(node)
            counts[identity] = counts.get(identity, 0) + 1
            meeting[identity, number] = meeting.get((identity, number), 0) + 1
            if identity not in found:
                found[identity] = node
                todo += [edge for edge in node.next_functions if edge[0] is not None]
        return found, counts, meeting

    def _on_the_way(self, found: dict[str, Any], inputs: Sequence[Any]) -> set[str]:
        """The nodes that lead to the inputs, and those themselves."""
        users: dict[str, list[str]] = {}
        for identity, node in found.items():
            for below, _ in node.next_functions:
                if below is not None:
                    users.setdefault(self._node(below), []).append(identity)
        leaves = {id(node.variable): identity for identity, node in found.items() if hasattr(node, "variable")}
        reached: set[str] = set()
        ends = [leaves.get(id(one)) if _is_leaf(one) else self._node(_gradient_edge(one)[0]) for one in inputs]
        todo = [identity for identity in ends if identity is not None]
        while todo:
            identity = todo.pop()
            if identity not in reached:
                reached.add(identity)
                todo += users.get(identity, [])
        return reached

    @contextmanager
    def watching(self) -> Iterator[None]:
        """See what a hook of the program's does inside a pass."""
        with self.functions:
            self.kernels.again()
            try:
                yield
            finally:
                self.kernels.no_more()

    # --- node by node ------------------------------------------------------------------------------------------------

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
        for number, tensor in self._kept_at(identity):
            if gradients[number] is not None:
                self.grad_accumulated(tensor, taken(gradients[number]))

    def _arrived(self, identity: str, gradients: tuple[Any, ...]) -> None:
        """Hooks of the user's on a node, before it runs, are about to be called."""
        now = self._passes[-1]
        self._gathered(now, identity, gradients)
        now.hooked = [None if g is None else copied(g) for g in gradients]
        self._lets_in(now)

    def _visited(self, identity: str, gradients: tuple[Any, ...]) -> None:
        now = self._passes[-1]
        node = now.nodes[identity]
        leaf = getattr(node, "variable", None)
        if now.hooked is None:
            self._gathered(now, identity, gradients)
        else:
            self._shuts_out(now)
            self._tell_hooked(now, "node_pre", node, gradients)
        if leaf is not None and (gradients[0] is None or not leaf.requires_grad):
            return
        self.node_visited(node, gradients)
        if leaf is None:
            now.visiting = node
            self._lets_in(now)
        else:
            now.leaf_gradient = taken(gradients[0])

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

    def _computed(self, identity: str, sent: tuple[Any, ...], _: Any) -> None:
        """Hooks of the user's on a node, after it ran, are about to be called."""
        now = self._passes[-1]
        self.settle()
        node = now.nodes[identity]
        if hasattr(node, "variable"):
            self.accumulated(node.variable)
        else:
            self.evaluated(node, sent)
        now.hooked = [None if g is None else copied(g) for g in sent]

    def _ran(self, identity: str, sent: tuple[Any, ...], _: Any) -> None:
        now = self._passes[-1]
        self._shuts_out(now)
        node = now.nodes[identity]
        if now.hooked is not None:
            self._tell_hooked(now, "node", node, sent)
            self._compute(now, node, sent)
        elif hasattr(node, "variable"):
            self.accumulated(node.variable)
        else:
            self.evaluated(node, sent)

    def evaluated(self, node: Any, sent: Sequence[Any]) -> None:
        """A node's formula has been computed."""
        now = self._passes[-1]
        now.visiting, now.ran, now.edge, now.freed_told = None, node, 0, False
        self._compute(now, node, sent)
        self.node_evaluated(node, now.values)
        now.told = len(self._raw)

    def _compute(self, now: Pass, node: Any, sent: Sequence[Any]) -> None:
        now.values = tuple(None if g is None else taken(g) for g in sent)
        now.sums.computed([to and (self._node(to), number) for to, number in node.next_functions], sent)

    def accumulated(self, leaf: Any) -> None:
        """A leaf's gradient has been added to its `.grad`; told once, before the hooks that see it."""
        now = self._passes[-1]
        if now.leaf_gradient is not None:
            gradient, now.leaf_gradient = now.leaf_gradient, None
            self.grad_accumulated(leaf, gradient)
            if is_shared_out():
                now.shared.append((weakref.ref(leaf), self._id(leaf.grad), taken(leaf.grad)))

    def _tell_shared(self, now: Pass) -> None:
        """Tell of gradients that are other ones than was told, since processes have added theirs up."""
        for ref, identity, value in now.shared:
            grad = None if (leaf := ref()) is None else leaf.grad
            if grad is not None and self._id(grad) == identity and not same(value, taken(grad)):
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
        node = now.ran
        if node is None or now.hooked is not None:
            return
        self._tell_freed(now, node)
        targets = node.next_functions
        while now.edge < min(len(targets), len(now.values)):
            at, (target, number) = now.edge, targets[now.edge]
            identity = None if target is None else self._node(target)
            if identity is not None and (now.reached is None or identity in now.reached):
                meets = (identity, number) in now.holds and now.values[at] is not None
                if meets and up_to_a_sum and not now.totals:
                    return
                self._send_one(now, at, target, number, now.values[at])
            now.edge += 1
        now.ran = None
        now.totals.clear()

    def _send_one(self, now: Pass, at: int, target: Any, number: int, value: Any) -> None:
        identity = self._node(target)
        now.arrived[identity] = now.arrived.get(identity, 0) + 1
        self.gradient_sent(now.ran, at, value, now.arrived[identity], now.expected[identity])
        if value is None:
            return
        total = now.sums.sent(at, (identity, number))
        if total is not None:
            self.gradients_added(target, number, taken(total))
        elif (identity, number) in now.holds and now.totals:
            self.gradients_added(target, number, now.totals.pop(0))
        now.holds.add((identity, number))

    def _tell_freed(self, now: Pass, node: Any) -> None:
        if not now.freed_told:
            now.freed_told = True
            saves = self._node(node) in self._savers if nodes.is_custom(node) else nodes.has_slots(node)
            if saves and (now.retain_graph or nodes.is_freed(node)):
                late = self.releases_since(now.told)  # of what only this node led to, when it let go
                self.saved_retained(node) if now.retain_graph else self.saved_freed(node)
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
    """Whether others than recordings have hung hooks on the node that a hook hangs on."""
    hooks = handle.hooks_dict_ref().values()
    return any(getattr(getattr(hook, "func", None), "__func__", None) is not Passes._looked for hook in hooks)


def _first(handle: Any) -> Any:
    """Have a hook called before the others that hang on its node."""
    hooks = handle.hooks_dict_ref()
    for name in [name for name in hooks if name != handle.id]:
        hooks[name] = hooks.pop(name)
    return handle


def _is_leaf(one: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.is_leaf


def _gradient_edge(tensor: Any) -> tuple[Any, int]:
    """Where a tensor's gradient goes. Raises RuntimeError if it requires none."""
    if isinstance(tensor, torch.autograd.graph.GradientEdge):
        return tensor.node, tensor.output_nr
    if tensor.grad_fn is not None:
        return tensor.grad_fn, tensor.output_nr
    with torch.inference_mode(False):  # in which there would be none
        edge = torch.autograd.graph.get_gradient_edge(tensor)
    return edge.node, edge.output_nr
