"""Hooks: functions of the user's that see gradients pass, and may put others in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.edges import AccumulateGrad
from autograd_lab.engine.core.node import Node, more_of
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.modes.handles import Hooks
from autograd_lab.engine.numbers.dtypes import dtype_of


class Pass:
    """A backward pass: how many gradients each of its nodes still misses, and its place in the user's program.

    `runs` are the nodes that run, None if all do; gradients go to those `reached`, or else to all, which are `wanted`;
    `captured` has the edges that are asked for.
    """

    __slots__ = ("__weakref__", "captured", "missing", "place", "reached", "roots", "runs", "wanted")

    def __init__(
        self, missing: dict[Node, int], runs: Any, captured: Any, place: Any, roots: Any, reached: Any
    ) -> None:
        self.missing, self.runs, self.reached = missing, runs, reached
        self.wanted = missing if reached is None else reached
        self.captured, self.place, self.roots = captured, place, roots


current: ContextVar[Any] = ContextVar("backward_pass", default=None)
"""The pass that runs in this thread; the inner one when a hook started another."""


def run_tensor_hooks(hooks: Hooks, gradient: Any, tensor: Any, node: Node) -> Any:
    """The gradient after a tensor's hooks, each of which sees what the one before returned."""
    for hook in list(hooks.values()):
        seen = _copies((gradient,))
        result = hook(gradient)
        _told("tensor", tensor, node, seen, (gradient if result is None else result,))
        if result is not None:
            gradient = _checked(hook, gradient, result)
    return gradient


def _copies(gradients: Sequence[Any]) -> list[Any]:
    """What gradients hold now, for a recorder that listens: a hook may write into them."""
    if listening.active is None:
        return []
    return [None if g is None else g._array.copy() for g in gradients]


def _told(kind: str, tensor: Any, node: Node, seen: list[Any], made: Any) -> None:
    """Tell a recorder what a hook has made of what it was called with; what is no gradient is refused later."""
    if listening.active is not None:
        listed = made if isinstance(made, tuple | list) else ()
        gradients = [g if isinstance(g, Variable) else None for g in listed]
        listening.active.hook_called(kind, tensor, node, seen, gradients)


def _checked(hook: Callable[..., Any], before: Any, after: Any) -> Any:
    if not isinstance(after, Variable):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    name = getattr(hook, "__name__", "<unknown>")
    old, new = before._array, after._array
    if old.dtype is not new.dtype:
        titles = dtype_of(old).title, dtype_of(new).title
        raise RuntimeError(
            f"hook '{name}' has changed the type of value (was torch.{titles[0]}Tensor got torch.{titles[1]}Tensor)"
        )
    if old.shape != new.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    return after


def _all_checked(hook: Callable[..., Any], before: list[Any], after: Any) -> list[Any]:
    """What a node's hook returned in the place of a tuple of gradients."""
    if not isinstance(after, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(after).__name__}'")
    if len(after) != len(before):
        name = getattr(hook, "__name__", "<unknown>")
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(after)}, but expected {len(before)})"
        )
    return [None if new is None else _checked(hook, old, new) for old, new in zip(before, after, strict=True)]


def before(node: Node, gradients: list[Any]) -> list[Any]:
    """The gradients (tensors or None) after the hooks of the tensors that they are for."""
    more = more_of(node)
    for nr, hooks in more.tensor_hooks.items():
        gradients[nr] = run_tensor_hooks(hooks, gradients[nr], None, node)
    for nr, reference in more.retained.items():
        tensor = reference()
        if tensor is not None and gradients[nr] is not None:
            keep(tensor, gradients[nr])
    return gradients


def _called(kind: str, node: Node, hooks: Hooks, changed: list[Any], *others: list[Any]) -> list[Any]:
    """Gradients after the hooks of a node, each of which takes them, and `others`, and may return a tuple of them."""
    for hook in list(hooks.values()):
        seen = _copies(changed)
        result = hook(tuple(changed), *map(tuple, others))
        _told(kind, None, node, seen, changed if result is None else result)
        if result is not None:
            changed = _all_checked(hook, changed, result)
    return changed


def pre_hooks(node: Node, gradients: list[Any]) -> list[Any]:
    """The gradients after a node's own pre-hooks, which take and return a tuple."""
    return _called("node_pre", node, more_of(node).pre_hooks, gradients)


def after(node: Node, sent: list[Any], gradients: list[Any]) -> list[Any]:
    """What a node sends on after its own hooks, which take what it sends and what it got, and return what to send."""
    return _called("node", node, more_of(node).post_hooks, sent, gradients)


def keep(tensor: Any, gradient: Any) -> None:
    """Store the gradient of a computed tensor whose `retain_grad` was called."""
    kept = tensor._grad
    if gradient._needs or (kept is not None and kept._needs):
        tensor._grad = gradient.clone() if kept is None else kept + gradient
    else:  # bookkeeping, of which a recorder hears nothing
        array = gradient._array
        tensor._grad = wrap(array.copy() if kept is None else np.add(kept._array, array, out=...))
    if listening.active is not None:
        listening.active.grad_accumulated(tensor, gradient, kept is None)


def post_accumulate(leaf: Any, node: AccumulateGrad) -> None:
    """Run the hooks that see a leaf once its `.grad` is up to date."""
    returned = leaf
    for hook in list(leaf._extra.post_hooks.values()):
        seen = _copies((leaf._grad,))
        result = hook(returned)
        _told("post_accumulate_grad", leaf, node, seen, (leaf._grad,))
        if result is not None and result is not returned:
            returned = _checked(hook, returned, result)
    if returned is not leaf:
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
