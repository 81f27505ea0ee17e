"""Hooks of the user's on tensors: called for torch, so that what they make of a gradient can be told."""

from __future__ import annotations

from typing import Any

from autograd_lab.torch_bridge.passes import Passes
from autograd_lab.torch_bridge.tensors import copied, is_plain


class Hooks(Passes):
    """Calls what the user has hung on tensors."""

    def tensor_hook(self, hook: Any, gradient: Any, ref: Any, node: str | None) -> Any:
        """Call a hook of the user's on a gradient, and tell what it made of it.

        It was hung on a leaf, to which there is a reference, or on what a node made, which is given by its id.
        """
        if not self._passes or self.busy:
            return hook(gradient)
        with self.look:
            self._between()
            self._start(self._passes[-1])
            seen = copied(gradient) if is_plain(gradient) else None
        with self.watching():
            result = hook(gradient)
        with self.look:
            self.settle()
            leaf = None if ref is None else ref()
            made = gradient if result is None else result if self.is_tensor(result) else None
            self.hook_called("tensor", leaf, node if leaf is None else self._leaf_node(leaf), (seen,), (made,))
        return result

    def leaf_hook(self, hook: Any, leaf: Any) -> Any:
        """Call a hook of the user's that sees a leaf once its `.grad` is up to date."""
        if not self._passes or self.busy:
            return hook(leaf)
        with self.look:
            self.accumulated(leaf)
            seen = copied(leaf.grad) if leaf.grad is not None and is_plain(leaf.grad) else None
        with self.watching():
            result = hook(leaf)
        with self.look:
            self.settle()
            self.hook_called("post_accumulate_grad", leaf, self._leaf_node(leaf), (seen,), (leaf.grad,))
        return result

    def _leaf_node(self, leaf: Any) -> Any:
        found = self._passes[-1].graph.nodes.values()
        return next((node for node in found if getattr(node, "variable", None) is leaf), None)
