"""`Module`: the base of all layers and models: parameters, children, `forward`, hooks, and how it prints."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from autograd_lab import listening
from autograd_lab.engine.exact.elementless import NO_DATA
from autograd_lab.engine.modes.handles import RemovableHandle
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import META, NO_CUDA, placed_on
from autograd_lab.engine.tensor.factories import empty_like
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn.conversion import exchanged, wanted
from autograd_lab.nn.everywhere import MIXED_ON_ONE, ModuleHooks, running
from autograd_lab.nn.hooks import forward_with, hooks_of, hung
from autograd_lab.nn.loading import Saving
from autograd_lab.nn.tree import Tree

PACKAGE = __name__.rpartition(".")[0]
EMPTY_INSTEAD = (
    "Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a different "
    "device."
)
M = TypeVar("M", bound="Module")


class Module(Tree, Saving):
    """Something with parameters that computes: a subclass calls `super().__init__()` first, and has a `forward`."""

    training: bool
    call_super_init: bool = False
    """Whether the classes that come after `Module` among a class's bases are initialised, too, with the arguments."""
    _version: int = 1
    _hooks = None  # type: ModuleHooks | None  # no annotation, which those who read a layer's would have to look up
    _file = __name__

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)  # of what else the class is, as Generic
        package, _, file = cls.__module__.rpartition(".")
        cls._file = cls.__module__
        if package == PACKAGE:  # so that type(x) prints what PyTorch prints
            cls.__module__ = f"torch.nn.modules.{file}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        made = super().__reduce_ex__(protocol)
        kind = type(self)
        if kind._file == kind.__module__:
            return made
        return _blank, (kind._file, kind.__qualname__), *made[2:]  # not by the name that it prints

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = f"{type(self).__name__}.__init__()"
        if kwargs and not self.call_super_init:
            raise TypeError(f"{name} got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args and not self.call_super_init:
            raise TypeError(f"{name} takes 1 positional argument but {len(args) + 1} were given")
        super().__init__()
        self.__dict__["training"] = True
        if self.call_super_init:
            super(Saving, self).__init__(*args, **kwargs)

    def forward(self, *args: Any) -> Any:
        """What the module computes; to be had by calling the module itself, so that hooks run."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        hooks = running(self._hooks)
        if listening.active is not None:
            return self._told(listening.active, hooks, args, kwargs)
        return self.forward(*args, **kwargs) if hooks is None else forward_with(hooks, self, args, kwargs)

    def _told(self, active: Any, hooks: ModuleHooks | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        active.module_entered(self)
        output = None
        try:
            output = self.forward(*args, **kwargs) if hooks is None else forward_with(hooks, self, args, kwargs)
        finally:
            active.module_left(self, output)
        return output

    # --- hooks -----------------------------------------------------------------------------------------------------

    def _with_hooks(self) -> ModuleHooks:
        if self._hooks is None:
            self._hooks = ModuleHooks()
        return self._hooks

    _forward_pre_hooks, _forward_hooks = hooks_of("forward_pre"), hooks_of("forward")
    _backward_pre_hooks, _backward_hooks = hooks_of("backward_pre"), hooks_of("backward", "partial")
    _forward_hooks_with_kwargs = _forward_pre_hooks_with_kwargs = hooks_of("with_kwargs")
    _forward_hooks_always_called = hooks_of("always")

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Have `hook(module, args)` called before forward; what it returns is passed on instead."""
        hooks = self._with_hooks()
        return hung(hooks.forward_pre, hook, prepend, hooks.with_kwargs if with_kwargs else None)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Have `hook(module, args, output)` called after forward; what it returns is the output instead."""
        hooks = self._with_hooks()
        groups = hooks.with_kwargs if with_kwargs else None, hooks.always if always_call else None
        return hung(hooks.forward, hook, prepend, *groups)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Have `hook(module, grad_output)` called when the gradient of the output is known."""
        return hung(self._with_hooks().backward_pre, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Have `hook(module, grad_input, grad_output)` called when the gradients of input and output are known."""
        hooks = self._with_hooks()
        hooks.be_full(True, MIXED_ON_ONE)
        return hung(hooks.backward, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(module, grad_input, grad_output)` called at the node that made the output.

        PyTorch advises against it: `register_full_backward_hook` sees the module's own inputs.
        """
        hooks = self._with_hooks()
        hooks.be_full(False, MIXED_ON_ONE)
        return hung(hooks.partial, hook, prepend=False)

    # --- all that is in it -----------------------------------------------------------------------------------------

    def apply(self: M, fn: Callable[[Any], None]) -> M:
        """Call `fn` with all modules below, children first, and at last with this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def train(self: M, mode: bool = True) -> M:
        """Set `training`, here and below: some layers compute differently then."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self: M) -> M:
        """Unset `training`, here and below. Gradients are computed as before."""
        return self.train(False)

    def requires_grad_(self: M, requires_grad: bool = True) -> M:
        """Have all parameters require a gradient, or none."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero in place."""
        clear(self.parameters(), set_to_none)

    def _apply(self: M, convert: Callable[[Tensor], Tensor], recurse: bool = True) -> M:
        """Convert parameters, gradients and buffers; they stay the same objects."""
        for child in self.children() if recurse else ():
            child._apply(convert)
        exchanged(self, convert)
        return self

    def to(
        self: M, *args: Any, dtype: Any = None, device: Any = None, tensor: Any = None, non_blocking: bool = False,
        copy: bool = False, memory_format: Any = None,
    ) -> M:  # fmt: skip
        """Parameters and floating buffers in another dtype, or all on another device."""
        dtype, device = wanted(args if tensor is None else (tensor,), dtype, device, copy)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        where = None if device is None else placed_on(device)
        laid = memory_format is not None
        if dtype is None and not laid and all(where in (None, one.device) for one in self._tensors()):
            return self
        if where is not None and where is not META and any(one.is_meta for one in self._tensors()):
            raise NotImplementedError(f"{NO_DATA} {EMPTY_INSTEAD}")
        return self._apply(
            lambda one: one.to(
                device=where,
                dtype=dtype if one.is_floating_point() else None,
                memory_format=memory_format if one.dim() == 4 else None,
            )
        )

    def _tensors(self) -> Iterator[Tensor]:
        yield from self.parameters()
        yield from self.buffers()

    def to_empty(self: M, *, device: Any, recurse: bool = True) -> M:
        """Parameters and buffers on a device, their elements not set."""
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse)

    def type(self: M, dst_type: Any) -> M:
        """Parameters and buffers in another dtype."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self: M) -> M:
        """Parameters and floating buffers in float32."""
        return self.to(dtypes.float32)

    def double(self: M) -> M:
        """Parameters and floating buffers in float64."""
        return self.to(dtypes.float64)

    def half(self: M) -> M:
        """Parameters and floating buffers in float16."""
        return self.to(dtypes.float16)

    def bfloat16(self: M) -> M:
        """Parameters and floating buffers in bfloat16."""
        return self.to(dtypes.bfloat16())

    def share_memory(self: M) -> M:
        """The module itself: there is one process, so everything is shared already."""
        return self._apply(lambda tensor: tensor.share_memory_())

    def cuda(self: M, device: Any = None) -> M:
        """Always an error: there is no GPU here."""
        raise AssertionError(NO_CUDA)

    def cpu(self: M) -> M:
        """The module itself, if its tensors have elements: then they are on the CPU."""
        for tensor in self._tensors():
            tensor.cpu()
        return self

    # --- printing --------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What is printed between the brackets, beside the children."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        parts = [f"({name}): {_indented(repr(child))}" for name, child in self._modules.items()]
        if not parts and len(lines) < 2:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + parts) + "\n)"


def _blank(file: str, name: str) -> Any:
    """A module of a class of this package, before anything is known of it: what unpickling begins with."""
    kind = getattr(importlib.import_module(file), name)
    return kind.__new__(kind)


Module.__module__ = "torch.nn.modules.module"


def _indented(text: str) -> str:
    """All lines but the first two columns further in."""
    first, *rest = text.split("\n")
    return "\n".join([first, *("  " + line if line.strip() else "" for line in rest)])


def clear(parameters: Iterator[Any] | list[Any], set_to_none: bool) -> None:
    """Forget gradients, or set them to zero in place, cut off from any graph of theirs."""
    for parameter in parameters:
        if parameter.grad is None:
            continue
        if set_to_none:
            parameter.grad = None
        else:
            if not parameter.grad.is_leaf:
                parameter.grad.detach_()
            else:
                parameter.grad.requires_grad_(False)
            parameter.grad.zero_()
