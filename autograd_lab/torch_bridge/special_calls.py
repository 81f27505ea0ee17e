"""Calls of torch's functions that do more than compute: backward, hooks, `.grad`, `detach`, modes.

Each has a function here that makes them for the program, and tells what they do.
"""

from __future__ import annotations

import functools
import inspect
import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from autograd_lab.torch_bridge.calls import PASSES, REQUIRES_GRAD, Calls, Special
from autograd_lab.torch_bridge.internals import GRAD, SET_GRAD_ENABLED, no_dispatch, no_functions
from autograd_lab.torch_bridge.ops.schema import tensors_in
from autograd_lab.torch_bridge.stack import Whose, asks, is_torchs_own

SPECIAL: dict[Any, Special] = {}
"""What makes the calls of some of torch's functions."""


def special(*functions: Any) -> Callable[[Special], Special]:
    """Have calls of some of torch's functions made by the decorated one."""

    def note(how: Special) -> Special:
        SPECIAL.update(dict.fromkeys(functions, how))
        return how

    return note


def _is_runners(frame: FrameType) -> bool:
    return asks(frame) is Whose.RUNNERS


@special(*PASSES)
def _backward(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    call = functools.partial(func, *args, **kwargs)
    try:
        given = inspect.signature(func).bind(*args, **kwargs)
        given.apply_defaults()
        tensors, seeds, inputs = _of_pass(given.arguments)
        retain, create = given.arguments["retain_graph"], given.arguments["create_graph"]
        with (
            no_functions(),
            no_dispatch(),
        ):  # the program's own modes see none of it
            now = calls.routes.plan(tensors, seeds, create if retain is None else bool(retain), create, inputs)
            if func is not GRAD:
                calls.kept.keep(inputs or ())
    except Exception:  # torch will say what is wrong, and not while this is handled
        now = None
    return _failing(calls, call, args) if now is None else calls.passes.run(call, now)


def _failing(calls: Calls, call: Any, args: Any) -> Any:
    try:
        return calls.unseen(call, (), {})
    except RuntimeError as error:
        with calls.look:
            calls.parts.errors.error_raised(error, None, None, next(tensors_in(args), None))
        raise


def _of_pass(given: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any] | None]:
    """The tensors that a pass begins at, the gradients given for them, and the inputs asked for."""
    tensors = _list_of(next(given[name] for name in ("self", "tensors", "outputs") if name in given))
    gradients = next(given[name] for name in ("gradient", "grad_tensors", "grad_outputs") if name in given)
    seeds = [None] * len(tensors) if gradients is None else _list_of(gradients)
    inputs = given["inputs"]
    if isinstance(inputs, dict):
        inputs = list(inputs.values())
    return tensors, seeds, None if inputs is None else _list_of(inputs)


def _list_of(given: Any) -> list[Any]:
    is_single = isinstance(given, torch.Tensor | torch.autograd.graph.GradientEdge)
    return [given] if is_single else list(given)


@special(torch.Tensor.retain_grad)
def _retain_grad(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    tensor = args[0]
    with no_functions():
        before = tensor.retains_grad
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        if not tensor.is_leaf and not before:
            calls.parts.settings.grad_retained(tensor)
            calls.kept.keep([tensor])
    return result


@special(torch.Tensor.register_hook)
def _register_hook(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, hook = _hook_of(args, kwargs)
    with no_functions():
        leaf, node = weakref.ref(tensor) if tensor.is_leaf else None, None

    @functools.wraps(hook)
    def watched(gradient: Any) -> Any:
        return calls.hooks.tensor_hook(hook, gradient, leaf, node)

    handle = calls.unseen(func, (tensor, watched if callable(hook) else hook), {})
    with calls.look:
        calls.parts.hooks.hook_registered("tensor", tensor, None if leaf else tensor.grad_fn)
        node = None if leaf else calls.tape.node(tensor.grad_fn)
    return handle


@special(torch.Tensor.register_post_accumulate_grad_hook)
def _register_post_accumulate_grad_hook(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, hook = _hook_of(args, kwargs)

    @functools.wraps(hook)
    def watched(leaf: Any) -> Any:
        return calls.hooks.leaf_hook(hook, leaf)

    handle = calls.unseen(func, (tensor, watched if callable(hook) else hook), {})
    with calls.look:
        calls.parts.hooks.hook_registered("post_accumulate_grad", tensor, None)
    return handle


def _hook_of(args: Any, kwargs: Any) -> tuple[Any, Any]:
    return args[0], args[1] if len(args) > 1 else kwargs["hook"]


@special(torch.Tensor.detach, torch.detach)
def _detach(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        calls.parts.forward.detached(result, args[0], "detach")
    return result


@special(torch.Tensor.data.__get__)
def _get_alias(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        calls.tape.ids.set_apart(result)
        calls.parts.forward.detached(result, args[0], "data")
    return result


@special(torch.Tensor.data.__set__)
def _set_alias(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    with calls.look:
        calls.tape.ids.keep_counter(args[0])
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        calls.parts.writes.tensor_modified(args[0], "data =")
    return result


@special(torch.Tensor.resize_, torch.Tensor.resize_as_, torch.resize_as_)
def _resize(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    before = args[0]._version
    result = calls.make(func, args, kwargs)
    with calls.look:
        if args[0]._version != before:
            calls.parts.writes.tensor_modified(args[0], func.__name__)
    return result


@special(torch.Tensor.detach_, torch.detach_)
def _detach_(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        calls.parts.forward.detached(args[0], args[0], "detach_")
    return result


@special(*REQUIRES_GRAD)
def _requires_grad(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    with no_functions():
        before = args[0].requires_grad
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        if args[0].requires_grad != before and (calls.tape.is_described(args[0]) or not _is_runners(sys._getframe(3))):
            calls.parts.settings.requires_grad_changed(args[0])
    return result


@special(torch.Tensor.grad.__set__, torch.Tensor.grad.__delete__)
def _set_grad(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        calls.tape.reader.assigned = args[1] if len(args) > 1 else None
        calls.parts.settings.grad_assigned(args[0])
        calls.tape.reader.assigned = None
    return result


@special(SET_GRAD_ENABLED)
def _grad_mode(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    before = torch.is_grad_enabled()
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        if (mode := torch.is_grad_enabled()) != before:
            calls.grad_mode.enabled = mode
            if _is_runners(sys._getframe(3)):
                calls.grad_mode.is_due = True
            elif not is_torchs_own(sys._getframe(3)):
                calls.grad_mode.tell(mode)
    return result


@special(torch.Tensor.grad_fn.__get__)
def _grad_fn(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    told = len(calls.tape.raw)
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        late = calls.parts.releases.since(told)
        if result is not None:
            place = calls.parts.whereabouts.now()
            calls.parts.first_sight.met(args[0], *place)  # a view whose base was written to comes to a new node by this
        calls.tape.raw.extend(late)
    return result


@special(torch.as_tensor, torch.asarray)
def _as_tensor(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    result = calls.make(func, args, kwargs)
    with calls.look:
        calls.parts.notices.opened(result)
    return result


@special(
    torch.Tensor.numpy, torch.Tensor.__array__, torch.Tensor.__dlpack__, torch.Tensor.data_ptr,
    torch.Tensor.untyped_storage,
)  # fmt: skip
def _open(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    result = calls.unseen(func, args, kwargs)
    with calls.look:
        calls.parts.notices.opened(args[0])
    return result


@special(
    torch.Tensor.__repr__, torch.Tensor.__format__, torch.Tensor.tolist, torch.Tensor.item,
    torch.Tensor.__deepcopy__, torch.Tensor.__reduce_ex__, torch.allclose, torch.equal,
)  # fmt: skip
def _read(calls: Calls, func: Any, args: Any, kwargs: Any) -> Any:
    return calls.unseen(func, args, kwargs)
