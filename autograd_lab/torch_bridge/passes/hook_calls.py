"""Hooks of the user's on tensors: called for torch, so that what they make of a gradient can be told."""

from __future__ import annotations

from typing import Any

from autograd_lab.recording.hooks import Hooks
from autograd_lab.torch_bridge.look import Look
from autograd_lab.torch_bridge.modes import Modes
from autograd_lab.torch_bridge.ops.due import Due
from autograd_lab.torch_bridge.passes.nodes_run import NodesRun
from autograd_lab.torch_bridge.passes.sending import Sending
from autograd_lab.torch_bridge.reading.tensors import copy_of, is_plain
from autograd_lab.torch_bridge.torch_recorder import TorchTape
from autograd_lab.torch_bridge.underway import Underway


class HookCalls:
    """Calls what the user has hung on tensors."""

    def __init__(
        self, tape: TorchTape, look: Look, hooks: Hooks, modes: Modes, underway: Underway, due: Due, sending: Sending,
        nodes_run: NodesRun,
    ) -> None:  # fmt: skip
        self._is_tensor = tape.reader.is_tensor
        self._look, self._hooks, self._modes, self._underway = look, hooks, modes, underway
        self._due, self._sending, self._nodes_run = due, sending, nodes_run

    def tensor_hook(self, hook: Any, gradient: Any, ref: Any, node: str | None) -> Any:
        """Call a hook of the user's on a gradient, and tell what it made of it.

        It was hung on a leaf, to which there is a reference, or on what a node made, which is given by its id.
        """
        if not self._underway or self._look.busy:
            return hook(gradient)
        with self._look:
            self._sending.between()
            self._nodes_run.start(self._underway.now)
            before = copy_of(gradient) if is_plain(gradient) else None
        with self._modes.watching():
            result = hook(gradient)
        with self._look:
            self._due.settle()
            leaf = None if ref is None else ref()
            after = gradient if result is None else result if self._is_tensor(result) else None
            at = node if leaf is None else self._node_of(leaf)
            self._hooks.hook_called("tensor", leaf, at, (before,), (after,))
        return result

    def leaf_hook(self, hook: Any, leaf: Any) -> Any:
        """Call a hook of the user's that sees a leaf once its `.grad` is up to date."""
        if not self._underway or self._look.busy:
            return hook(leaf)
        with self._look:
            self._nodes_run.accumulated(leaf)
            before = copy_of(leaf.grad) if leaf.grad is not None and is_plain(leaf.grad) else None
        with self._modes.watching():
            result = hook(leaf)
        with self._look:
            self._due.settle()
            at = self._node_of(leaf)
            self._hooks.hook_called("post_accumulate_grad", leaf, at, (before,), (leaf.grad,))
        return result

    def _node_of(self, leaf: Any) -> Any:
        nodes = self._underway.now.graph.nodes.values()
        return next((node for node in nodes if getattr(node, "variable", None) is leaf), None)
