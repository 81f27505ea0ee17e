"""Backward passes as a whole: how each begins, and how it ends, be it with an error."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from autograd_lab.torch_bridge.grad_mode import GradMode
from autograd_lab.torch_bridge.look import Look
from autograd_lab.torch_bridge.modes import Kernels
from autograd_lab.torch_bridge.ops.due import Due
from autograd_lab.torch_bridge.passes.node_hooks import NodeHooks
from autograd_lab.torch_bridge.passes.nodes_run import NodesRun
from autograd_lab.torch_bridge.passes.routes import Pass
from autograd_lab.torch_bridge.passes.sending import Sending
from autograd_lab.torch_bridge.reading import nodes
from autograd_lab.torch_bridge.reading.tensors import far
from autograd_lab.torch_bridge.torch_recorder import TorchParts, TorchTape
from autograd_lab.torch_bridge.underway import Call, Underway


class Passes:
    """Makes the calls of `backward` and `grad` for the program."""

    def __init__(
        self, tape: TorchTape, parts: TorchParts, look: Look, kernels: Kernels, call: Call, underway: Underway,
        grad_mode: GradMode, due: Due, sending: Sending, hooks: NodeHooks, nodes_run: NodesRun,
    ) -> None:  # fmt: skip
        self._ids, self._whereabouts = tape.ids, parts.whereabouts
        self._backward, self._errors = parts.backward, parts.errors
        self._look, self._kernels, self._call, self._underway = look, kernels, call, underway
        self._grad_mode, self._due, self._sending = grad_mode, due, sending
        self._hooks, self._nodes_run = hooks, nodes_run

    def run(self, call: Any, now: Pass) -> Any:
        """Make the call that runs a pass, and tell what it does."""
        depth, self._call.depth = self._call.depth, 0
        mode, self._grad_mode.enabled = self._grad_mode.enabled, now.create_graph
        with self._look:
            self._enter(now)
        try:
            with nullcontext() if now.create_graph else self._kernels.aside():
                result = call()
        except BaseException as error:
            with self._look:
                self._stopped(now, error)
            raise
        else:
            with self._look:
                self._finished(now)
            return result
        finally:
            self._call.depth, self._grad_mode.enabled = depth, mode
            self._leave(now)

    def _enter(self, now: Pass) -> None:
        self._underway.passes.append(now)
        self._whereabouts.begun.append(now.place)
        self._ids.pass_begins()
        self._hooks.hang(now)

    def _finished(self, now: Pass) -> None:
        self._sending.between()
        self._nodes_run.start(now)
        self._nodes_run.tell_shared(now)
        self._backward.backward_finished()
        far.fetch()

    def _leave(self, now: Pass) -> None:
        self._underway.passes.remove(now)
        self._whereabouts.begun.pop()
        if not self._underway:
            with self._look:
                self._ids.pass_is_over()
        self._hooks.take_off(now)

    def _stopped(self, now: Pass, error: BaseException) -> None:
        if "appears to not have been used in the graph" in str(error):
            self._sending.between()
            self._nodes_run.start(now)
            self._backward.backward_finished()
            return
        is_torchs = isinstance(error, RuntimeError)
        if not now.started:
            if is_torchs:
                self._errors.error_raised(error, None, None, now.tensors[0] if now.tensors else None)
            return
        self._due.settle()
        if now.ran is not None:
            self._sending.tell_freed(now, now.ran)
        if now.visiting is not None and is_torchs:
            self._errors.error_raised(error, now.visiting, nodes.unusable_slot(now.visiting), None)
        self._errors.exception_left(error)
        self._backward.backward_left()
