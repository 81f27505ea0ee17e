"""Hooks of modules: called before and after forward, and when gradients come back through a module."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from autograd_lab.autograd.function import Function
from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.modes.handles import Hooks, RemovableHandle
from autograd_lab.nn.everywhere import EVERYWHERE, ModuleHooks
from autograd_lab.whose import users_level

NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)
NONE_EXPECTED = (
    "Backward hook for Modules where no input requires gradient should always return None or None for all gradients."
)


SILENCED = (
    "{} forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in "
    "forward: {}"
)
NO_TENSORS = "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {}"


def hooks_of(*kinds: str) -> Any:
    """A module's hooks of a kind, as an attribute of it, for those who read or delete them there."""

    def found(module: Any) -> Any:
        hooks = module._with_hooks()
        return next((each for kind in kinds if (each := getattr(hooks, kind))), getattr(hooks, kinds[0]))

    return property(found, fdel=lambda module: found(module).clear())


def hung(hooks: Hooks, hook: Callable[..., Any], prepend: bool, *given: dict[int, bool] | None) -> RemovableHandle:
    """Add a hook, as the first one if `prepend`, and its id to the groups given."""
    groups = [group for group in given if group is not None]
    handle = RemovableHandle(hooks, extra_dict=groups)
    others = dict(hooks) if prepend else {}
    if prepend:
        hooks.clear()
    hooks[handle.id] = hook
    hooks.update(others)
    for group in groups:
        group[handle.id] = True
    return handle


def forward_with(hooks: ModuleHooks, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What forward gives, with all hooks."""
    done: set[int] = set()
    result: Any = None
    try:
        args, kwargs = _before(hooks, module, args, kwargs)
        passage = Passage(module, hooks) if hooks.backward or hooks.backward_pre else None
        if passage is not None:
            args = passage.enter(args)
        result = module.forward(*args, **kwargs)
        result = _after(hooks, list(hooks.forward), module, args, kwargs, result, done)
        result = result if passage is None else passage.leave(result)
        if hooks.partial:
            _hang_at_output(list(hooks.partial.values()), module, args, result)
        return result
    except Exception:
        _after_error(hooks, module, args, kwargs, result, done)
        raise


def _after_error(
    hooks: ModuleHooks, module: Any, args: tuple[Any, ...], kwargs: Any, result: Any, done: set[int]
) -> None:
    for key in [key for key in hooks.forward if key in hooks.always and key not in done]:
        try:
            result = _after(hooks, [key], module, args, kwargs, result, done)
        except Exception as error:
            whose = "global module" if key in EVERYWHERE.forward else "module"
            warnings.warn(SILENCED.format(whose, error), UserWarning, stacklevel=users_level())


def _hang_at_output(hooks: list[Any], module: Any, args: tuple[Any, ...], result: Any) -> None:
    """Hooks at the node of the first tensor of a module's output, with a warning of what they do not see."""
    output = result
    while not is_tensor(output):
        output = next(iter(output.values() if isinstance(output, dict) else output))
    if (node := output.grad_fn) is None:
        return
    for hook in hooks:
        node.register_hook(lambda sent, received, hook=hook: hook(module, sent, received))
    if missed := not_seen(args, result, node):
        warnings.warn(missed, FutureWarning, stacklevel=users_level())


def _before(hooks: ModuleHooks, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    for key, hook in list(hooks.forward_pre.items()):
        if key in hooks.with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is None:
                continue
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                )
            args, kwargs = changed
        elif (changed := hook(module, args)) is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs


def _after(
    hooks: ModuleHooks, keys: list[int], module: Any, args: tuple[Any, ...], kwargs: Any, result: Any, done: set[int]
) -> Any:
    for key in keys:
        done.add(key)
        hook = hooks.forward[key]
        changed = hook(module, args, kwargs, result) if key in hooks.with_kwargs else hook(module, args, result)
        result = result if changed is None else changed
    return result


class BackwardHookFunction(Function):
    """z = x for several tensors: the node at which a module's gradients can be seen."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.mark_non_differentiable(*[tensor for tensor in tensors if not tensor.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients


class Passage:
    """One call of a module with backward hooks: gradients are seen where they enter and where they leave it.

    Backward passes the output first. The hooks run at the input, once both gradients are known; if no input requires
    one, then already at the output.
    """

    def __init__(self, module: Any, hooks: ModuleHooks) -> None:
        self._module = module
        self._hooks = list(hooks.backward.values())
        self._pre_hooks = list(hooks.backward_pre.values())
        self._of_input: list[int] | None = None
        self._inputs = 0
        self._outputs = 0
        self._gradients: Any = None

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with a node behind them that sees their gradients."""
        self._inputs = len(args)
        args, node, places = _watched(args)
        if node is not None:
            self._of_input = places
            node.register_hook(self._left)
        return args

    def leave(self, result: Any) -> Any:
        """The result, with a node behind it that sees its gradient."""
        if not is_tensor(result) and not isinstance(result, tuple):
            warnings.warn(NO_TENSORS.format(type(result)), UserWarning, stacklevel=users_level())
        results, node, self._of_output = _watched(result if isinstance(result, tuple) else (result,))
        self._outputs = len(results)
        if node is not None:
            node.register_hook(self._came)
        return results if isinstance(result, tuple) else results[0]

    def _came(self, _: Any, received: tuple[Any, ...]) -> tuple[Any, ...]:
        gradients = _spread(received, self._of_output, self._outputs)
        for hook in self._pre_hooks:
            gradients = _replaced("pre hook", "grad_output", gradients, hook(self._module, gradients))
        self._gradients = gradients
        if self._of_input is None:
            self._without_input(gradients)
        return tuple(gradients[place] for place in self._of_output)

    def _without_input(self, gradients: tuple[Any, ...]) -> None:
        warnings.warn(NO_INPUT, UserWarning, stacklevel=users_level())
        for hook in self._hooks:
            result = hook(self._module, (None,) * self._inputs, gradients)
            if result is not None and not (isinstance(result, tuple) and all(one is None for one in result)):
                raise RuntimeError(NONE_EXPECTED)
        self._gradients = None

    def _left(self, sent: tuple[Any, ...], _: Any) -> tuple[Any, ...] | None:
        if self._gradients is None:  # the gradient of something else than this module's output came by
            return None
        assert self._of_input is not None
        gradients = _spread(sent, self._of_input, self._inputs)
        for hook in self._hooks:
            gradients = _replaced("hook", "grad_input", gradients, hook(self._module, gradients, self._gradients))
        self._gradients = None
        return tuple(gradients[place] for place in self._of_input)


def _watched(things: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any, list[int]]:
    """The things, of which the tensors went through a node; that node, None if none was recorded; where they are."""
    places = [place for place, thing in enumerate(things) if is_tensor(thing)]
    if not is_grad_enabled() or not any(things[place].requires_grad for place in places):
        return things, None, places
    passed = BackwardHookFunction.apply(*[things[place] for place in places])
    found = list(things)
    for place, tensor in zip(places, passed, strict=True):
        found[place] = tensor
    kind: Any = type(things)
    again = tuple(found) if kind is tuple else kind(*found)  # a named tuple stays one
    return again, next(tensor.grad_fn for tensor in passed if tensor.grad_fn is not None), places


def _spread(gradients: tuple[Any, ...], places: list[int], count: int) -> tuple[Any, ...]:
    found = [None] * count
    for place, gradient in zip(places, gradients, strict=True):
        found[place] = gradient
    return tuple(found)


def _replaced(kind: str, what: str, gradients: tuple[Any, ...], returned: Any) -> Any:
    if returned is None:
        return gradients
    if len(returned) != len(gradients):
        got = f"got {len(returned)}, but expected {len(gradients)}"
        raise RuntimeError(f"Backward {kind} returned an invalid number of {what}, {got}")
    return returned


NOT_ONE = "Using non-full backward hooks on a Module that does not {} single Tensor or a tuple of Tensors is "
DEPRECATED = "deprecated and will be removed in future versions. This hook will be missing some"
FULL = " Please use register_full_backward_hook to get the documented behavior."
PARTLY = "Using a non-full backward hook when {} is "


def not_seen(inputs: Any, result: Any, node: Any) -> str:
    """What a hook at the node of a module's output does not see of the module, in PyTorch's words; nothing if all."""
    for things, verb, of_what in ((result, "return a", "grad_output"), (inputs, "take as input a", "grad_input")):
        if not is_tensor(things) and not (isinstance(things, tuple) and all(map(is_tensor, things))):
            return NOT_ONE.format(verb) + f"{DEPRECATED} of the {of_what}." + FULL
    made = {one.grad_fn for one in (result if isinstance(result, tuple) else (result,))} - {None}
    if not made or (len(made) == 1 and node not in made):
        return PARTLY.format("outputs are nested in python data structure") + f"{DEPRECATED} grad_output."
    if len(made) > 1:
        return PARTLY.format("outputs are generated by different autograd Nodes") + f"{DEPRECATED} grad_output." + FULL
    given = {one.grad_fn for one in inputs} - {None}
    if given == {target for target, _ in node.next_functions}:
        return ""
    return PARTLY.format("the forward contains multiple autograd Nodes") + f"{DEPRECATED} grad_input." + FULL
