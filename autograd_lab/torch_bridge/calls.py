"""Calls of torch's functions, made for the program; what they do more than compute, `special_calls.py` says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import torch

from autograd_lab.torch_bridge.grad_mode import GradMode
from autograd_lab.torch_bridge.internals import (
    BACKWARD,
    GRAD,
    SET_GRAD_ENABLED,
    TENSOR_BACKWARD,
    OpOverload,
    is_traced,
    plain,
)
from autograd_lab.torch_bridge.look import Look, looking
from autograd_lab.torch_bridge.ops.due import Due
from autograd_lab.torch_bridge.ops.ops import Ops
from autograd_lab.torch_bridge.ops.quiet_writes import QuietWrites
from autograd_lab.torch_bridge.ops.schema import tensor_tuple
from autograd_lab.torch_bridge.passes.hook_calls import HookCalls
from autograd_lab.torch_bridge.passes.kept import KeptGradients
from autograd_lab.torch_bridge.passes.passes import Passes
from autograd_lab.torch_bridge.passes.routes import Routes
from autograd_lab.torch_bridge.stack import Whose, asks
from autograd_lab.torch_bridge.torch_recorder import TorchParts, TorchTape
from autograd_lab.torch_bridge.underway import Call

Special = Callable[[Any, Any, Any, Any], Any]
"""Makes a call, given who heard of it, the function and its arguments."""
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


class Calls:
    """Hears what functions the program calls; what makes `special` calls asks the parts that it has."""

    def __init__(
        self, tape: TorchTape, parts: TorchParts, look: Look, call: Call, due: Due, grad_mode: GradMode, ops: Ops,
        writes: QuietWrites, routes: Routes, passes: Passes, kept: KeptGradients, hooks: HookCalls,
        special: Mapping[Any, Special],
    ) -> None:  # fmt: skip
        self.tape, self.parts, self.look, self.grad_mode = tape, parts, look, grad_mode
        self.routes, self.passes, self.kept, self.hooks = routes, passes, kept, hooks
        self._call, self._due, self._ops, self._writes, self._special = call, due, ops, writes, special

    def called(self, func: Any, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
        """Make a call of one of torch's functions, made at a frame, for the program; take down what comes of it."""
        if (
            self.look.busy
            or looking.depth
            or type(func) is OpOverload  # which the dispatcher will see
            or func in ASKS
            or is_traced()
        ):
            return func(*args, **kwargs)
        func = plain(func)
        asker = self._call.quiet or asks(frame)
        if (asker is Whose.QUIET or asker is Whose.RUNNERS) and func not in TOLD[asker]:
            return self._quietly(func, args, kwargs, asker)
        if self._due or self.grad_mode.has_news():
            with self.look:
                self._due.settle()
                if asker is not Whose.RUNNERS:
                    self.grad_mode.look()
        how = self._special.get(func)
        return how(self, func, args, kwargs) if how is not None else self.make(func, args, kwargs)

    def _quietly(self, func: Any, args: Any, kwargs: Any, asker: Whose) -> Any:
        """Make a call that is not of the user's doing; what it writes to what is known, is told."""
        if func is torch.Tensor.data.__set__:
            self._writes.note_sharing(args[:1], "data =", sys._getframe(3))
        outer, self._call.quiet = self._call.quiet, asker
        self._call.unasked += 1
        try:
            return func(*args, **kwargs)
        finally:
            self._call.quiet = outer
            self._call.unasked -= 1
            if self._writes.waiting and not self._call.unasked and asker is Whose.QUIET:
                with self.look:
                    self._due.settle()

    def make(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Make a call that computes."""
        self._call.number += 1
        self._call.depth += 1
        told = len(self.tape.raw)
        try:
            self._ops.call_begins()
            self.parts.results.call_begins()
        except Exception as error:
            self.look.mistaken(error)
        try:
            result = func(*args, **kwargs)
        except BaseException as error:
            with self.look:
                self._failed(func, args, error, told)
            raise
        finally:
            self._call.depth -= 1
        with self.look:
            self._returned(func, args, tensor_tuple(result))
        return result

    def _returned(self, func: Any, args: Any, made: tuple[Any, ...]) -> None:
        """Tell what a call has given, as far as no op has."""
        ids = self.tape.ids
        self._call.returned = {id(tensor) for tensor in made}
        self._due.settle()
        for tensor in made:
            if not ids.knows(tensor) and tensor.is_leaf and (self._call.creates or not _has_tensor(args)):
                name = getattr(func, "__name__", "")
                if name.startswith(BLANK):
                    ids.blank.add(ids.memory(tensor)[2])
                self.parts.forward.tensor_created(tensor, name)
            self._ops.made_by_steps(tensor)
        self.parts.results.call_ends(made)

    def _failed(self, func: Any, args: Any, error: BaseException, told: int) -> None:
        if not isinstance(error, RuntimeError):
            self._ops.pending = None  # it was stopped when it saved its result, by a checkpoint
        self._due.settle()
        self.parts.results.call_ends(None)
        self._refused(getattr(func, "__name__", ""), args, error, told)

    def unseen(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Make a call of which is told as a whole."""
        before, self.look.busy = self.look.busy, True
        try:
            return func(*args, **kwargs)
        finally:
            self.look.busy = before

    def _refused(self, name: str, args: Any, error: BaseException, told: int) -> None:
        """Tell if a write failed, before it is told that what it was for was let go."""
        text, raw, last = str(error), self.tape.raw, self.parts.results.last
        writes = name in WRITERS or (name.endswith("_") and not name.endswith("__"))
        if not isinstance(error, RuntimeError) or not args or not isinstance(args[0], torch.Tensor) or not writes:
            return
        late = self.parts.releases.since(told)
        self.parts.errors.error_raised(error, None, None, args[0])
        *note, tensor = raw[-1]
        if text.startswith("a view of a leaf") and not args[0]._is_view() and last[1]:
            tensor = last[1][5][0][0]  # `x[0] = 1` writes to the view that it has just made
        raw[-1] = (*note, tensor)
        raw.extend(late)


def _has_tensor(args: Any) -> bool:
    return any(isinstance(arg, torch.Tensor) for arg in args)
