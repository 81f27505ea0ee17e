"""Calls of torch's functions, and those among them that do more than compute: backward, hooks, `.grad`, modes."""

from __future__ import annotations

import functools
import inspect
import sys
import weakref
from types import FrameType
from typing import Any

import torch

from autograd_lab.recording.recorder import Recorder
from autograd_lab.torch_bridge.function_table import SPECIAL, special
from autograd_lab.torch_bridge.hook_calls import Hooks
from autograd_lab.torch_bridge.internals import (
    BACKWARD,
    GRAD,
    SET_GRAD_ENABLED,
    TENSOR_BACKWARD,
    OpOverload,
    is_traced,
    no_dispatch,
    no_functions,
    plain,
)
from autograd_lab.torch_bridge.schema import listed, tensors_in
from autograd_lab.torch_bridge.stack import Whose, asks, is_torchs_own
from autograd_lab.torch_bridge.torch_recorder import looking

PASSES = (TENSOR_BACKWARD, BACKWARD, GRAD)
REQUIRES_GRAD = (torch.Tensor.requires_grad_, torch.Tensor.requires_grad.__set__)
TOLD = {
    Whose.QUIET: {torch.Tensor.grad.__set__, torch.Tensor.data.__set__},
    Whose.RUNNERS: {torch.Tensor.grad.__set__, SET_GRAD_ENABLED, *PASSES, *REQUIRES_GRAD},
}
"""What is told of even where it is none of the user's calls: `zero_grad`, `vector_to_parameters`; a trainer's steps."""
WRITERS = {"__setitem__"} | {f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")}
"""Functions that write, beside those whose names end in an underscore."""
BLANK = ("empty", "new_empty")
"""How the names of functions begin that give memory as they find it."""
_PLAIN = (
    "shape", "dtype", "device", "layout", "ndim", "itemsize", "is_nested", "is_sparse", "is_quantized", "is_mkldnn",
    "is_cpu", "is_cuda", "is_meta",
)  # fmt: skip
ASKS = {getattr(torch.Tensor, name).__get__ for name in _PLAIN if hasattr(torch.Tensor, name)} | {
    torch.Tensor.size, torch.Tensor.dim, torch.Tensor.numel, torch.Tensor.stride, torch.Tensor.element_size,
    torch.Tensor.is_floating_point, torch.Tensor.is_complex, torch.Tensor.is_contiguous,
}  # fmt: skip
"""Functions that only ask what a tensor is like, which models do all the time."""


class Watcher(Hooks):
    """All that is watched of torch by way of function and dispatch modes.

    `mode_is_due` is whether the mode may have been switched without being told of.
    """

    def __init__(self, beside: Recorder) -> None:
        super().__init__(beside)
        self.mode_is_due, self._mode_told = False, self.mode

    def called(self, func: Any, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
        """Make a call of one of torch's functions, made at a frame, for the program; take down what comes of it."""
        if (
            self.busy
            or looking.depth
            or type(func) is OpOverload  # which the dispatcher will see
            or func in ASKS
            or is_traced()
        ):
            return func(*args, **kwargs)
        func = plain(func)
        asker = self._quiet or asks(frame)
        if (asker is Whose.QUIET or asker is Whose.RUNNERS) and func not in TOLD[asker]:
            return self._quietly(func, args, kwargs, asker)
        if self._has_news():
            with self.look:
                self.settle()
                if asker is not Whose.RUNNERS:
                    self._see_modes()
        how = SPECIAL.get(func)
        return how(self, func, args, kwargs) if how is not None else self._called(func, args, kwargs)

    def _quietly(self, func: Any, args: Any, kwargs: Any, asker: Whose) -> Any:
        """Make a call that is not of the user's doing; what it writes to what is known, is told."""
        if func is torch.Tensor.data.__set__:
            self.note_sharing(args[:1], "data =", sys._getframe(3))
        outer, self._quiet = self._quiet, asker
        try:
            return func(*args, **kwargs)
        finally:
            self._quiet = outer
            if self._quiet_writes and outer is None and asker is Whose.QUIET:
                with self.look:
                    self.settle()

    def _has_news(self) -> bool:
        """Whether there may be something to tell of before a call."""
        waiting = self._pending, self._function
        unseen = self._quiet_writes or self._parameters or self.mode_is_due
        return bool(waiting != (None, None) or unseen or torch.is_inference_mode_enabled() != self.inference)

    def is_described(self, tensor: Any) -> bool:
        """Whether a tensor is part of the story already."""
        return self._ids.knows(tensor) and self._id(tensor) in self._ids.described

    def _see_modes(self) -> None:
        """Tell of the mode if that was switched by what is not told, or by what cannot be seen: inference mode."""
        if torch.is_inference_mode_enabled() != self.inference:
            self.inference = not self.inference
            self.mode = torch.is_grad_enabled()
        elif not self.mode_is_due:
            return
        self.mode_is_due = False
        if self.mode != self._mode_told:
            self.grad_mode_changed(self.mode)

    def grad_mode_changed(self, enabled: bool) -> None:
        self._mode_told = enabled
        super().grad_mode_changed(enabled)

    def _called(self, func: Any, args: Any, kwargs: Any) -> Any:
        self._calls += 1
        self._depth += 1
        self._creates = False
        self._steps_made.clear()
        told = len(self._raw)
        self.call_begins()
        try:
            result = func(*args, **kwargs)
        except BaseException as error:
            with self.look:
                if not isinstance(error, RuntimeError):
                    self._pending = None  # it was stopped when it saved its result, by a checkpoint
                self.settle()
                self.call_ends(None)
                self._refused(getattr(func, "__name__", ""), args, error, told)
            raise
        finally:
            self._depth -= 1
        made = listed(result)
        with self.look:
            self._returned = {id(tensor) for tensor in made}
            self.settle()
            for tensor in made:
                if not self._ids.knows(tensor) and tensor.is_leaf and (self._creates or not _has_tensor(args)):
                    name = getattr(func, "__name__", "")
                    if name.startswith(BLANK):
                        self._ids.blank.add(self._ids.memory(tensor)[2])
                    self.tensor_created(tensor, name)
                self.made_by_steps(tensor)
            self.call_ends(made)
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


def _is_runners(frame: FrameType) -> bool:
    return asks(frame) is Whose.RUNNERS


def _has_tensor(args: Any) -> bool:
    return any(isinstance(one, torch.Tensor) for one in args)


@special(*PASSES)
def _backward(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
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
            now = watcher.plan(tensors, seeds, create if retain is None else bool(retain), create, inputs)
            if func is not GRAD:
                watcher.keep_gradients(inputs or ())
    except Exception:  # torch will say what is wrong
        return _failing(watcher, call, args)
    return watcher.run(call, now)


def _failing(watcher: Watcher, call: Any, args: Any) -> Any:
    try:
        return watcher.unseen(call, (), {})
    except RuntimeError as error:
        with watcher.look:
            watcher.error_raised(error, None, None, next(tensors_in(args), None))
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
    with no_functions():
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
    with no_functions():
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
        watcher._ids.set_apart(result)
        watcher.detached(result, args[0], "data")
    return result


@special(torch.Tensor.data.__set__)
def _set_alias(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    with watcher.look:
        watcher._ids.keep_counter(args[0])
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        watcher.tensor_modified(args[0], "data =")
    return result


@special(torch.Tensor.resize_, torch.Tensor.resize_as_, torch.resize_as_)
def _resize(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    before = args[0]._version
    result = watcher._called(func, args, kwargs)
    with watcher.look:
        if args[0]._version != before:
            watcher.tensor_modified(args[0], func.__name__)
    return result


@special(torch.Tensor.detach_, torch.detach_)
def _detach_(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        watcher.detached(args[0], args[0], "detach_")
    return result


@special(*REQUIRES_GRAD)
def _requires_grad(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    with no_functions():
        before = args[0].requires_grad
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        if args[0].requires_grad != before and (watcher.is_described(args[0]) or not _is_runners(sys._getframe(3))):
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


@special(SET_GRAD_ENABLED)
def _grad_mode(watcher: Watcher, func: Any, args: Any, kwargs: Any) -> Any:
    before = torch.is_grad_enabled()
    result = watcher.unseen(func, args, kwargs)
    with watcher.look:
        if (mode := torch.is_grad_enabled()) != before:
            watcher.mode = mode
            if _is_runners(sys._getframe(3)):
                watcher.mode_is_due = True
            elif not is_torchs_own(sys._getframe(3)):
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
