"""Calls of torch's functions, and those among them that do more than compute: backward, hooks, `.grad`, modes."""

from __future__ import annotations

import functools
import inspect
import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch._ops import OpOverload

from autograd_lab.torch_bridge.frames import Whose, asks, is_torchs_own
from autograd_lab.torch_bridge.hooks import Hooks
from autograd_lab.torch_bridge.ops import _tensors
from autograd_lab.torch_bridge.recorder import looking

TOLD_ALWAYS = {torch.Tensor.grad.__set__, torch.Tensor.data.__set__}
"""What is told of even where torch does it of its own: `zero_grad`, `vector_to_parameters`."""
WRITERS = {"__setitem__"} | {f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")}
"""Functions that write, beside those whose names end in an underscore."""
Special = Callable[["Watcher", Any, Any, Any], Any]
SPECIAL: dict[Any, Special] = {}


def special(*functions: Any) -> Callable[[Special], Special]:
    """Have calls of some of torch's functions made by the decorated one."""

    def note(how: Special) -> Special:
        SPECIAL.update(dict.fromkeys(functions, how))
        return how

    return note


class Watcher(Hooks):
    """All that is watched of torch by way of function and dispatch modes."""

    def called(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Make a call of one of torch's functions for the program, and take down what comes of it."""
        if (
            self.busy
            or looking.depth
            or type(func) is OpOverload  # which the dispatcher will see
            or torch._C._get_tracing_state() is not None
        ):
            return func(*args, **kwargs)
        if func not in TOLD_ALWAYS and (self._quiet or asks(sys._getframe(2)) is Whose.QUIET):
            return self._quietly(func, args, kwargs)
        with self.look:
            self.settle()
            if torch.is_inference_mode_enabled() != self.inference:
                self._inference_changed()
        how = SPECIAL.get(func)
        return how(self, func, args, kwargs) if how is not None else self._called(func, args, kwargs)

    def _quietly(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Make a call that is not of the user's doing; what it writes to what is known, is told."""
        self._quiet += 1
        try:
            return func(*args, **kwargs)
        finally:
            self._quiet -= 1
            if self._quiet_writes and not self._quiet:
                with self.look:
                    self.settle()
                    self.tell_quiet_writes()

    def _inference_changed(self) -> None:
        """Nothing can be seen of the call that switched it; the mode is told of when it is first met."""
        self.inference, before = not self.inference, self.mode
        self.mode = torch.is_grad_enabled()
        if self.mode != before:
            self.grad_mode_changed(self.mode)

    def _called(self, func: Any, args: Any, kwargs: Any) -> Any:
        self._calls += 1
        self._depth += 1
        self._creates = False
        self._steps_made.clear()
        told = len(self._raw)
        try:
            result = func(*args, **kwargs)
        except BaseException as error:
            with self.look:
                if not isinstance(error, RuntimeError):
                    self._pending = None  # it was stopped when it saved its result, by a checkpoint
                self.settle()
                self._refused(getattr(func, "__name__", ""), args, error, told)
            raise
        finally:
            self._depth -= 1
        with self.look:
            self._returned = {id(tensor) for tensor in _tensors(result)}
            self.settle()
            for tensor in _tensors(result):
                if not self._census.knows(tensor) and tensor.is_leaf and (self._creates or not _has_tensor(args)):
                    self.tensor_created(tensor, getattr(func, "__name__", ""))
                self.made_by_steps(tensor)
        return result

    def unseen(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Make a call of which is told as a whole."""
        before, self.busy = self.busy, True
        try:
            return func(*args, **kwargs)
        finally:
            self.busy = before

    def _refused(self, name: str, args: Any, error: BaseException, told: int) -> None:
        """Tell if a write failed, before it is told that what it was for was let go."""
        text = str(error)
        writes = name in WRITERS or (name.endswith("_") and not name.endswith("__"))
        if not isinstance(error, RuntimeError) or not args or not isinstance(args[0], torch.Tensor) or not writes:
            return
        late = self.releases_since(told)
        self.error_raised(error, None, None, args[0])
        *said, tensor = self._raw[-1]
        if text.startswith("a view of a leaf") and not args[0]._is_view() and self._op[1]:
            tensor = self._op[1][5][0][0]  # `x[0] = 1` writes to the view that it has just made
        self._raw[-1] = (*said, tensor)
        self._raw.extend(late)


def _has_tensor(args: Any) -> bool:
    return any(isinstance(one, torch.Tensor) for one in args)


@special(torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad)
def _backward(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    call = functools.partial(func, *args, **kwargs)
    try:
        given = inspect.signature(func).bind(*args, **kwargs)
        given.apply_defaults()
        tensors, seeds, inputs = _of_pass(given.arguments)
        retain, create = given.arguments["retain_graph"], given.arguments["create_graph"]
        with (
            torch._C.DisableTorchFunction(),
            torch._C._DisableTorchDispatch(),
        ):  # the program's own modes see none of it
            now = watcher.plan(tensors, seeds, create if retain is None else bool(retain), create, inputs)
            if func is not torch.autograd.grad:
                watcher.keep_gradients(inputs or ())
    except Exception:  # torch will say what is wrong
        return _failing(watcher, call, args)
    return watcher.run(call, now)


def _failing(watcher: Watcher, call: Any, args: Any) -> Any:
    try:
        return watcher.unseen(call, (), {})
    except RuntimeError as error:
        with watcher.look:
            watcher.error_raised(error, None, None, next(_tensors(args), None))
        raise


def _of_pass(given: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any] | None]:
    """The tensors that a pass begins at, the gradients given for them, and the inputs asked for."""
    tensors = _listed(next(given[name] for name in ("self", "tensors", "outputs") if name in given))
    gradients = next(given[name] for name in ("gradient", "grad_tensors", "grad_outputs") if name in given)
    seeds = [None] * len(tensors) if gradients is None else _listed(gradients)
    inputs = given["inputs"]
    if isinstance(inputs, dict):
        inputs = list(inputs.values())
    return tensors, seeds, None if inputs is None else _listed(inputs)


def _listed(one: Any) -> list[Any]:
    single = isinstance(one, torch.Tensor | torch.autograd.graph.GradientEdge)
    return [one] if single else list(one)


@special(torch.Tensor.retain_grad)
def _retain_grad(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    tensor = args[0]
    with torch._C.DisableTorchFunction():
        before = tensor.retains_grad
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        if not tensor.is_leaf and not before:
            watcher.grad_retained(tensor)
            watcher.keep_gradients([tensor])
    return result


@special(torch.Tensor.register_hook)
def _register_hook(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, hook = _hook_of(args, kwargs)
    with torch._C.DisableTorchFunction():
        leaf, node = weakref.ref(tensor) if tensor.is_leaf else None, None

    @functools.wraps(hook)
    def watched(gradient: Any) -> Any:
        return watcher.tensor_hook(hook, gradient, leaf, node)

    handle = watcher.unseen(func, (tensor, watched if callable(hook) else hook), {})
    with watcher.look:
        watcher.hook_registered("tensor", tensor, None if leaf else tensor.grad_fn)
        node = None if leaf else watcher._node(tensor.grad_fn)
    return handle


@special(torch.Tensor.register_post_accumulate_grad_hook)
def _register_post_accumulate_grad_hook(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    tensor, hook = _hook_of(args, kwargs)

    @functools.wraps(hook)
    def watched(leaf: Any) -> Any:
        return watcher.leaf_hook(hook, leaf)

    handle = watcher.unseen(func, (tensor, watched if callable(hook) else hook), {})
    with watcher.look:
        watcher.hook_registered("post_accumulate_grad", tensor, None)
    return handle


def _hook_of(args: Any, kwargs: Any) -> tuple[Any, Any]:
    return args[0], args[1] if len(args) > 1 else kwargs["hook"]


@special(torch.Tensor.detach, torch.detach)
def _detach(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        watcher.detached(result, args[0], "detach")
    return result


@special(torch.Tensor.data.__get__)
def _get_alias(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        watcher._census.set_apart(result)
        watcher.detached(result, args[0], "data")
    return result


@special(torch.Tensor.data.__set__)
def _set_alias(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        watcher.tensor_modified(args[0], "data =")
    return result


@special(torch.Tensor.detach_, torch.detach_)
def _detach_(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        watcher.detached(args[0], args[0], "detach_")
    return result


@special(torch.Tensor.requires_grad_, torch.Tensor.requires_grad.__set__)
def _requires_grad(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    with torch._C.DisableTorchFunction():
        before = args[0].requires_grad
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        if args[0].requires_grad != before:
            watcher.requires_grad_changed(args[0])
    return result


@special(torch.Tensor.grad.__set__, torch.Tensor.grad.__delete__)
def _set_grad(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        watcher.assigned = args[1] if len(args) > 1 else None
        watcher.grad_assigned(args[0])
        watcher.assigned = None
    return result


@special(torch._C._set_grad_enabled)
def _grad_mode(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    before = torch.is_grad_enabled()
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        if (mode := torch.is_grad_enabled()) != before:
            watcher.mode = mode
            if not is_torchs_own(sys._getframe(3)):
                watcher.grad_mode_changed(mode)
    return result


@special(torch.Tensor.grad_fn.__get__)
def _grad_fn(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    told = len(watcher._raw)
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        late = watcher.releases_since(told)
        if result is not None:
            watcher._met(args[0], *watcher._here())  # a view whose base was written to comes to a new node by this
        watcher._raw.extend(late)
    return result


@special(torch.as_tensor, torch.asarray)
def _as_tensor(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    result = watcher._called(func, args, kwargs)
    with watcher.look:
        watcher.opened(result)
    return result


@special(
    torch.Tensor.numpy, torch.Tensor.__array__, torch.Tensor.__dlpack__, torch.Tensor.data_ptr,
    torch.Tensor.untyped_storage,
)  # fmt: skip
def _open(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        watcher.opened(args[0])
    return result


@special(
    torch.Tensor.__repr__, torch.Tensor.__format__, torch.Tensor.tolist, torch.Tensor.item,
    torch.Tensor.__deepcopy__, torch.Tensor.__reduce_ex__, torch.allclose, torch.equal,
)  # fmt: skip
def _read(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    return watcher.unseen(func, args, kwargs)
