"""Hooks that all modules have in common: for those who want to see what every module is given, gives, or is made of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from autograd_lab.engine.modes.handles import Hooks, RemovableHandle

MIXED = "Cannot use both regular backward hooks and full backward hooks as a global Module hook. {}"
MIXED_ON_ONE = "Cannot use both regular backward hooks and full backward hooks on a single Module. {}"
ONE_KIND = "Please use only one of them."


class ModuleHooks:
    """Hooks of modules, by the ids of their handles; those in `with_kwargs` see keyword arguments too."""

    KINDS = ("forward_pre", "forward", "backward_pre", "backward", "partial")

    def __init__(self) -> None:
        self.forward_pre: Hooks = OrderedDict()
        self.forward: Hooks = OrderedDict()
        self.backward_pre: Hooks = OrderedDict()
        self.backward: Hooks = OrderedDict()
        self.partial: Hooks = OrderedDict()
        """At the node of the output: `register_backward_hook`."""
        self.with_kwargs: dict[int, bool] = OrderedDict()
        self.always: dict[int, bool] = OrderedDict()
        self.full: bool | None = None
        """Which of the two kinds of backward hooks were asked for; one may not have both."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]  # what an older pickle does not have
        self.__dict__.update(state)

    def any(self) -> bool:
        """Whether there is a hook."""
        return bool(self.forward_pre or self.forward or self.backward_pre or self.backward or self.partial)

    def be_full(self, full: bool, refusal: str) -> None:
        """Say which kind of backward hooks there are from now on. Raises RuntimeError if there are others."""
        if self.full is (not full):
            raise RuntimeError(refusal.format(ONE_KIND))
        self.full = full


EVERYWHERE = ModuleHooks()
"""The hooks of all modules; they run before the module's own."""
AT_REGISTRATION: dict[str, Hooks] = {"parameter": OrderedDict(), "buffer": OrderedDict(), "module": OrderedDict()}


def running(own: ModuleHooks | None) -> ModuleHooks | None:
    """The hooks that run at a call: those of all modules, and then the module's own."""
    if not EVERYWHERE.any():
        return own
    together = ModuleHooks()
    for hooks in (EVERYWHERE, *([own] if own is not None else [])):
        for kind in (*ModuleHooks.KINDS, "with_kwargs", "always"):
            getattr(together, kind).update(getattr(hooks, kind))
    return together


def registered(kind: str, owner: Any, name: str, thing: Any) -> Any:
    """What is registered: the thing, or what the last hook that saw it gives instead."""
    for hook in list(AT_REGISTRATION[kind].values()):
        changed = hook(owner, name, thing)
        thing = thing if changed is None else changed
    return thing


def _hung(hooks: Hooks, hook: Callable[..., Any], *groups: dict[int, bool]) -> RemovableHandle:
    handle = RemovableHandle(hooks, extra_dict=list(groups))
    hooks[handle.id] = hook
    for group in groups:
        group[handle.id] = True
    return handle


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(module, name, buffer)` called whenever any module gets a buffer; what it returns is kept instead."""
    return _hung(AT_REGISTRATION["buffer"], hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(module, name, child)` called whenever any module gets a child; what it returns is kept instead."""
    return _hung(AT_REGISTRATION["module"], hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(module, name, parameter)` called whenever any module gets one; what it returns is kept instead."""
    return _hung(AT_REGISTRATION["parameter"], hook)


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(module, args)` called before the forward of any module; what it returns is passed on instead."""
    return _hung(EVERYWHERE.forward_pre, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Have `hook(module, args, output)` called after the forward of any module."""
    groups = [*([EVERYWHERE.with_kwargs] if with_kwargs else []), *([EVERYWHERE.always] if always_call else [])]
    return _hung(EVERYWHERE.forward, hook, *groups)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(module, grad_input, grad_output)` called at the node that made the output of any module."""
    EVERYWHERE.be_full(False, MIXED)
    return _hung(EVERYWHERE.partial, hook)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(module, grad_output)` called when the gradient of the output of any module is known."""
    return _hung(EVERYWHERE.backward_pre, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(module, grad_input, grad_output)` called when both gradients of any module are known."""
    EVERYWHERE.be_full(True, MIXED)
    return _hung(EVERYWHERE.backward, hook)
