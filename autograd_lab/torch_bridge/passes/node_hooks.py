"""Hooks on the nodes that a pass may reach: hung before it around the user's own, and taken off when it is over."""

from __future__ import annotations

from functools import partial
from typing import Any

from autograd_lab.torch_bridge.look import Look
from autograd_lab.torch_bridge.passes.nodes_run import NodesRun
from autograd_lab.torch_bridge.passes.routes import Pass
from autograd_lab.torch_bridge.stack import Whose, whose
from autograd_lab.torch_bridge.underway import Underway


class NodeHooks:
    """Says of each node when it is about to run and when it has run, before the user's hooks and after."""

    def __init__(self, look: Look, underway: Underway, nodes_run: NodesRun) -> None:
        self._look, self._underway, self._nodes_run = look, underway, nodes_run
        self._watched: set[str] = set()

    def hang(self, now: Pass) -> None:
        """Watch the nodes that a pass may reach, unless an outer pass watches them."""
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

    def take_off(self, now: Pass) -> None:
        """Take the hooks of a pass off the nodes."""
        for handle in now.handles:
            handle.remove()
        self._watched.difference_update(now.watched)
        now.graph.nodes.clear()

    def _at_node(
        self, identity: str, is_first: bool, gradients: tuple[Any, ...], arrived: tuple[Any, ...] | None = None
    ) -> None:
        """Called by torch at a node, before it runs or after, before the user's hooks or after; returns no gradient."""
        with self._look.lock:
            if self._underway and not self._look.busy:
                run = self._nodes_run
                before, after = (run.arrived, run.computed) if is_first else (run.visited, run.ran)
                with self._look:
                    (before if arrived is None else after)(identity, gradients)


def _has_others(handle: Any) -> bool:
    """Whether the user has hung hooks on the node that a hook hangs on, rather than a recording or a trainer."""
    return any(_is_users(hook) for hook in handle.hooks_dict_ref().values())


def _is_users(hook: Any) -> bool:
    while isinstance(hook, partial):
        hook = hook.func
    function = getattr(hook, "__func__", hook)
    code = getattr(function, "__code__", None)
    return function is not NodeHooks._at_node and (code is None or whose(code) is not Whose.RUNNERS)


def _first(handle: Any) -> Any:
    """Have a hook called before the others that hang on its node."""
    hooks = handle.hooks_dict_ref()
    for name in [name for name in hooks if name != handle.id]:
        hooks[name] = hooks.pop(name)
    return handle
