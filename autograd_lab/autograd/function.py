"""`Function`: an op of the user's own, with a forward and a backward."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from autograd_lab import listening
from autograd_lab.autograd.context import BackwardCFunction, FunctionCtx, FunctionNodeType, ours
from autograd_lab.autograd.jvp import Pushed
from autograd_lab.engine.core import seams, variable
from autograd_lab.engine.core.apply import edges, view_of
from autograd_lab.engine.core.edges import is_computed
from autograd_lab.engine.core.node import Made, next_sequence
from autograd_lab.engine.core.variable import Variable, alias, wrap, wrote
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.exact.aliasing import is_view, rebase, refuse_view
from autograd_lab.engine.exact.delayed import refused
from autograd_lab.engine.modes import handles, transforming
from autograd_lab.engine.modes.grad_mode import is_grad_enabled, no_grad, no_grad_quietly
from autograd_lab.whose import place, users_level

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "once_differentiable"]

NOTHING = Made((), np.dtype(np.float32))
"""What stands for a first output that is no tensor."""

LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
    "function with static forward method. (Example: "
    "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
INSTANTIATED = (
    "{} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the "
    "class itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
)
NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
    "inplace must all be outputs of the Function."
)
NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be "
    "passed to ctx.mark_dirty()."
)
SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
    "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input is "
    "not a view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it "
    "into two Functions: one doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change."
)
NO_VMAP = (
    "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
)
NO_RULE = (
    "does not have vmap support. Please override and implement the vmap staticmethod or set generate_vmap_rule=True."
)
TWO_RULES = (
    "has both generate_vmap_rule=True and an overridden vmap staticmethod. Please set generate_vmap_rule=False or "
    "delete the overridden vmap staticmethod to avoid ambiguity."
)
EXTENDING = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
RETURNED_AND_SAVED = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup "
    "ctx inside the forward function itself."
)
ONE_VIEW = (
    "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need to "
    "support more."
)
TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"
A_LEAF = "a leaf Variable that requires grad has been used in an in-place operation."
A_VIEW_OF_A_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."


class FunctionMeta(type):
    """Gives each `Function` the class of its nodes, `_backward_cls`."""

    _backward_cls: Any

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> None:
        super().__init__(name, bases, body)
        backward = {"_forward_cls": cls, "op": name, "__module__": "torch.autograd.function"}
        cls._backward_cls = FunctionNodeType(f"{name}Backward", (BackwardCFunction,), backward)


class Function(metaclass=FunctionMeta):
    """Base of the user's own ops: static methods `forward(ctx, ...)` and `backward(ctx, *gradients)`; use by `apply`.

    `backward` returns one gradient for each argument of `forward`, None for those that are no tensors. A class with a
    static method `setup_context(ctx, inputs, output)` has a `forward` without `ctx`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(INSTANTIATED.format(type(self)), DeprecationWarning, stacklevel=users_level())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(LEGACY)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The op. The user's class has one of its own."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """What is to be kept for backward, if `forward` is written without `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients. The user's class has one of its own."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs, for those of the inputs. The user's class has one of its own."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    generate_vmap_rule = False
    clear_saved_tensors_on_access = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The op on a batch. The user's class has one of its own, or asks for one by `generate_vmap_rule`."""
        raise NotImplementedError(NO_VMAP)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the op, and record it if an argument requires a gradient."""
        if not (in_two := cls.setup_context is not Function.setup_context):
            transforming.refuse(transforming.SETUP_CONTEXT)
        at_once = transforming.inside_vmap() and not _by_example(cls)
        if in_two or kwargs:
            args = _positional(cls.forward, args, kwargs, in_two)
        ctx = cls._backward_cls(args)
        tensors = [arg for arg in args if isinstance(arg, Variable)]
        recorded = any(ctx.needs_input_grad) and is_grad_enabled()
        if recorded:
            handles.asked = True
            ctx.next_functions = edges(tensors)
        number = next_sequence()
        leaves = [one for one in tensors if not is_computed(one)]
        with no_grad_quietly(), forward.below(1), mapping.set_aside() if at_once else nullcontext():
            result = cls.forward(*args) if in_two else cls.forward(ctx, *args)
            if in_two:
                cls.setup_context(ctx, args, result)
                as_it_is = [one for one in _tuple(result) if _is_any(tensors, [one])]
                saved = (*(ctx.to_save or ()), *ctx.saved_for_forward)
                if _is_any(saved, [x for x in as_it_is if not _is_any(ctx.dirty_tensors, [x])]):
                    raise RuntimeError(RETURNED_AND_SAVED)
        made = _Outputs(ctx, tensors, leaves, _tuple(result))
        outputs = made.wrapped(number)
        if at_once:
            outputs = tuple(mapping.hand_on(out, *tensors) if isinstance(out, Variable) else out for out in outputs)
        if listening.active is not None:
            of = (ctx, ctx.name()) if recorded else (None, ctx.op)  # what is given may be no new tensor
            listening.active.op_applied(*of, tuple(tensors), tuple(out for out in outputs if isinstance(out, Variable)))
            for out in outputs:
                if recorded and _is_any([out], tensors):  # `mark_dirty` counts as a write, too
                    listening.active.tensor_modified(out, ctx.name())
        if forward.level:
            Pushed(ctx, args, made.dirty, made.constant).push(outputs)
        return outputs if isinstance(result, tuple) else outputs[0]


def _by_example(cls: Any) -> bool:
    """Whether an op's rule for many examples comes of what it does with one. Raises RuntimeError for none, or two."""
    own = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule == own:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it {TWO_RULES if own else NO_RULE} {EXTENDING}")
    return not own


class InplaceFunction(Function):
    """An old base of ops that write to their input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def _positional(forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any], in_two: bool) -> tuple[Any, ...]:
    """The arguments in their order, by the names that `forward` gives them."""
    if in_two:
        bound = inspect.signature(forward).bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args
    names = [name for name, one in inspect.signature(forward).parameters.items() if one.kind < one.KEYWORD_ONLY][1:]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    return (*args, *(kwargs[name] for name in names if name in kwargs))


def _tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _is_any(tensors: Sequence[Any] | None, others: Sequence[Any]) -> bool:
    """Whether one of the tensors is among the others: the very same one."""
    return any(one is other for one in tensors or () for other in others if isinstance(one, Variable))


def _seen(tensor: Any) -> Any:
    """A view of an input that is returned as it is; a class of the user's own makes it."""
    if type(tensor) is variable.Tensor:
        return view_of(tensor, tensor._array)
    with no_grad_quietly(), listening.paused():
        return tensor.view_as(tensor)


class _Outputs:
    """What forward returned, on its way to the user."""

    def __init__(self, ctx: BackwardCFunction, inputs: list[Any], leaves: list[Any], outputs: tuple[Any, ...]) -> None:
        self.ctx, self.inputs, self.leaves, self.outputs = ctx, inputs, leaves, outputs
        self.recorded = any(ctx.needs_input_grad) and is_grad_enabled()
        self.dirty, self.constant = ctx.dirty_tensors or (), ctx.non_differentiable or ()
        self.several = sum(isinstance(out, Variable) for out in outputs) > 1
        self.creation = "many" if sum(map(self._is_differentiable, outputs)) > 1 else "custom"
        if ctx._is_pure_view and self.recorded:
            if self.several or len(inputs) != 1:
                raise RuntimeError(ONE_VIEW)
            self.creation = "default"

    def wrapped(self, sequence: int) -> tuple[Any, ...]:
        """The outputs, with the node as their history if the op is recorded."""
        self._check()
        if self.recorded:
            self._link(sequence)
        made = [self._wrap(out, nr) if isinstance(out, Variable) else out for nr, out in enumerate(self.outputs)]
        return tuple(made)

    def _check(self) -> None:
        if not all(isinstance(tensor, Variable) for tensor in self.dirty):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
        for tensor in self.dirty:
            wrote(tensor)
        if not all(isinstance(tensor, Variable) for tensor in self.constant):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
        if not all(_is_any([tensor], self.outputs) for tensor in self.dirty):
            raise RuntimeError(NOT_RETURNED)
        for tensor in self.dirty:
            if not _is_any([tensor], self.inputs):
                if self.recorded and is_view(tensor):
                    raise RuntimeError(NOT_AN_INPUT)
                warnings.warn(NOT_AN_INPUT, UserWarning, stacklevel=users_level())

    def _link(self, sequence: int) -> None:
        ctx: Any = self.ctx
        ctx.of_the_users = ours(ctx)
        ctx.made = [
            Made(out._array.shape, out._array.dtype) if isinstance(out, Variable) else None for out in self.outputs
        ]
        if not ctx._materialize_non_diff_grads:
            ctx.undefined = [number for number, out in enumerate(self.outputs) if not self._is_differentiable(out)]
        ctx.shape, ctx.dtype = (ctx.made and ctx.made[0]) or NOTHING
        ctx.many, ctx.others, ctx.seq = len(ctx.made) > 1, ctx.made[1:], sequence
        ctx.code, ctx.at = place()
        ctx.save({id(out): nr for nr, out in enumerate(self.outputs) if not self._is_returned_input(out)})
        if seams.on_recorded is not None:
            seams.on_recorded(ctx)

    def _is_returned_input(self, out: Any) -> bool:
        return _is_any([out], self.inputs) and not _is_any([out], self.dirty)

    def _wrap(self, out: Any, number: int) -> Any:
        differentiable = self._is_differentiable(out)
        if not differentiable and out._needs and _is_any([out], self.inputs):
            constant = alias(out, share_version=True)
            constant._cell = out._cell  # also where an inference tensor counts nothing
            return constant
        if not differentiable:
            return self._constant_view(out)
        if _is_any([out], self.dirty) and _is_any([out], self.inputs):
            self._rewrite(out)
            return out
        if self._is_returned_input(out):
            out = _seen(out)
        out._needs = True
        if is_view(out):
            extra = out._extra
            extra.edge, extra.edge_version = (self.ctx, number), out._cell[0]
            extra.creation = self.creation
        else:
            out._edge = (self.ctx, number)
        return out

    def _is_differentiable(self, out: Any) -> bool:
        floating = isinstance(out, Variable) and out._array.dtype.kind in "fV"
        return self.recorded and floating and not _is_any([out], self.constant)

    def _constant_view(self, out: Any) -> Any:
        if self._is_returned_input(out):
            out = _seen(out)
        if is_view(out) and not _is_any([out], self.dirty):
            out._extra.creation = self.creation
        return out

    def _forget(self, out: Any) -> None:
        if out._grad is not None:
            out.grad = None

    def _rewrite(self, out: Any) -> None:
        """Give an input that forward wrote to its new history; a gradient of what it was before goes."""
        if out._needs and _is_any([out], self.leaves):
            raise RuntimeError(A_LEAF)
        if out._grad is not None:
            out.grad = None
        if is_view(out):
            if self.several:
                raise RuntimeError(SEVERAL)
            self._forget(out)
            refuse_view(out, "and is being modified inplace")
            base = out._extra.base
            if (base._needs or out._needs) and not is_computed(base):
                raise RuntimeError(A_VIEW_OF_A_LEAF)
        self._forget(out)
        number = next(nr for nr, each in enumerate(self.outputs) if each is out)
        rebase(out, self.ctx, tuple(each for each in self.inputs if each is not out))
        if out._edge is not None and out._edge[0] is self.ctx:
            out._edge = (self.ctx, number)


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of `backward` methods that cannot be differentiated themselves."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *gradients: Any) -> Any:
        with no_grad():
            returned = fn(ctx, *gradients)
        if not is_grad_enabled() or not any(isinstance(g, Variable) and g._needs for g in gradients):
            return returned
        return refused(TWICE, [None if g is None else wrap(g._array, True) for g in _tuple(returned)])

    return wrapper
