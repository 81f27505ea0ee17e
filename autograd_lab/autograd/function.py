"""`Function`: an op of the user's own, with a forward and a backward."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab import recorder
from autograd_lab.engine.apply import edges, told
from autograd_lab.engine.edges import is_computed, rebase
from autograd_lab.engine.modes import is_grad_enabled, no_grad_quietly
from autograd_lab.engine.node import SECOND_TIME, Made, Node, next_sequence
from autograd_lab.engine.variable import Extra, Variable, alias, place, wrap, wrap_any, wrote

__all__ = ["Function", "FunctionCtx", "once_differentiable"]

LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
    "function with static forward method. (Example: "
    "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)


class FunctionCtx(Node):
    """The node of a user's op, which is also the `ctx` that its forward and backward get."""

    __slots__ = ("__dict__",)

    function: type[Function]
    needs_input_grad: tuple[bool, ...]

    def begin(self, args: tuple[Any, ...]) -> None:
        """Made for one application."""
        self.needs_input_grad = tuple(isinstance(arg, Variable) and arg._needs for arg in args)
        self.saved = ()
        self._more = None
        self._to_save: tuple[Any, ...] = ()
        self._dirty: tuple[Any, ...] = ()
        self._constant: tuple[Any, ...] = ()
        self._materialize = True
        self._own: dict[int, int] = {}
        self._is_tensor = [isinstance(arg, Variable) for arg in args]

    def several(self, others: list[Any]) -> None:
        """Note the shapes and dtypes of all outputs but the first."""
        self.__dict__["many"], self.others = bool(others), others

    def attributes(self) -> dict[str, Any]:
        """None that PyTorch would show."""
        return {}

    def slot_name(self, position: int) -> str:
        """Its place in `saved_tensors`."""
        return f"saved_tensors[{position}]"

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward, which finds them in `saved_tensors`; the last call counts."""
        for position, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, Variable):
                kind = type(tensor).__name__
                raise TypeError(f"save_for_backward can only save variables, but argument {position} is of type {kind}")
        self._to_save = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say that forward wrote to these inputs."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that these outputs need no gradient."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (as it does by default) or None for outputs that nothing was computed from."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` was given. Raises RuntimeError once it is freed, or was written over."""
        if self.saved is None:
            raise RuntimeError(SECOND_TIME)
        return tuple(self._tensor(position) for position in range(len(self.saved) // 3))

    def _tensor(self, position: int, *, numbers: bool = False) -> Any:
        output = self._own.get(position)
        if output is None:
            return super()._tensor(position, numbers=numbers)
        assert self.saved is not None
        array, cell, version = self.saved[3 * position : 3 * position + 3]
        if cell[0] != version:
            raise self._modified(position)
        tensor = wrap(array)
        tensor._cell, tensor._needs, tensor._edge = cell, True, (self, output)
        return tensor

    def saved_slots(self) -> list[tuple[str, Any, Any, int]]:
        """All that was saved, in the order in which it was."""
        found: list[tuple[str, Any, Any, int]] = []
        for position in range(len(self.saved or ()) // 3):
            source, _, version = (self.saved or ())[3 * position : 3 * position + 3]
            array = source._array if isinstance(source, Variable) else source
            found.append((self.slot_name(position), self._own.get(position, source), array, version))
        return found

    def arrays(self) -> tuple[()]:
        """Nothing: backward takes what it wants from `saved_tensors`."""
        return ()

    def tensors(self) -> list[Any]:
        """Nothing: backward takes what it wants from `saved_tensors`."""
        return []

    def backward(self, g: Any) -> Any:
        """Run the user's backward on tensors."""
        gradients = [wrap_any(one) for one in (g if self.many else [g])]
        if self._materialize:
            metas = [(self.shape, self.dtype), *(self.others if self.many else ())]
            pairs = zip(gradients, metas, strict=True)
            gradients = [wrap(np.zeros(*meta)) if one is None else one for one, meta in pairs]
        result = self.function.backward(self, *gradients)
        returned = self._aligned(result if isinstance(result, tuple) else (result,))
        if is_grad_enabled():
            return returned
        return tuple(None if one is None else one._array[()] for one in returned)

    def _aligned(self, returned: tuple[Any, ...]) -> tuple[Any, ...]:
        """One gradient for each input that is a tensor, checked."""
        expected = len(self._is_tensor)
        if len(returned) > expected and all(one is None for one in returned[expected:]):
            returned = returned[:expected]
        if len(returned) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(returned)})"
            )
        for position, (one, is_tensor) in enumerate(zip(returned, self._is_tensor, strict=True), 1):
            if one is not None and not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {position}, but the "
                    "corresponding forward input was not a Variable"
                )
            if one is not None and not isinstance(one, Variable):
                raise RuntimeError(f"expected Variable or None (got {type(one).__name__})")
        return tuple(one for one, is_tensor in zip(returned, self._is_tensor, strict=True) if is_tensor)


class Function:
    """Base of the user's own ops: static methods `forward(ctx, ...)` and `backward(ctx, *gradients)`; use by `apply`.

    `backward` returns one gradient for each argument of `forward`, None for those that are no tensors.
    """

    _backward_cls: type[FunctionCtx] = FunctionCtx

    def __init_subclass__(cls) -> None:
        cls._backward_cls = type(f"{cls.__name__}Backward", (FunctionCtx,), {"function": cls, "op": cls.__name__})

    def __call__(self, *args: Any) -> Any:
        raise RuntimeError(LEGACY)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The op. The user's class has one of its own."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradients. The user's class has one of its own."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    setup_context: Callable[..., Any] | None = None

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run the op, and record it if an argument requires a gradient."""
        ctx = cls._backward_cls()
        ctx.begin((*args, *kwargs.values()))
        recorded = any(ctx.needs_input_grad) and is_grad_enabled()
        with no_grad_quietly():
            if cls.setup_context is None:
                result = cls.forward(ctx, *args, **kwargs)
            else:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, result)
        tensors = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, Variable)]
        outputs = list(result) if isinstance(result, tuple) else [result]
        if recorded:
            outputs = _recorded(ctx, tensors, outputs)
        if recorder.active is not None:
            told(ctx, recorded, tuple(tensors), tuple(out for out in outputs if isinstance(out, Variable)))
        return tuple(outputs) if isinstance(result, tuple) else outputs[0]


def _recorded(ctx: FunctionCtx, tensors: list[Any], outputs: list[Any]) -> list[Any]:
    """The outputs, with the node as their history."""
    for dirty in ctx._dirty:
        if not any(dirty is out for out in outputs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs "
                "that are modified inplace must all be outputs of the Function."
            )
        if dirty._needs and not is_computed(dirty):
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    ctx.next_functions = edges(tensors)
    ctx.seq = next_sequence()
    ctx.code, ctx.at = place()
    made = [out for out in outputs if isinstance(out, Variable)]
    metas = [Made(out._array.shape, out._array.dtype) for out in made]
    ctx.shape, ctx.dtype = metas[0] if metas else ((), np.dtype(np.float32))
    ctx.several(metas[1:])
    results, number = [], 0
    for out in outputs:
        if isinstance(out, Variable):
            results.append(_attached(ctx, out, number, tensors))
            number += 1
        else:
            results.append(out)
    _save(ctx, outputs, results)
    return results


def _attached(ctx: FunctionCtx, out: Any, number: int, tensors: list[Any]) -> Any:
    if any(out is one for one in ctx._constant) or out._array.dtype.kind != "f":
        return out
    if any(out is one for one in ctx._dirty):
        wrote(out)
        rebase(out, ctx, ())
        return out
    base = out._extra.base if out._extra is not None else None
    if any(out is one for one in tensors):
        base, out = out, alias(out, share_version=True)
        out._extra = Extra()
        out._extra.base = base
    out._needs = True
    if base is None:
        out._edge = (ctx, number)
    else:
        out._extra.edge, out._extra.edge_version = (ctx, number), out._cell[0]
        out._extra.creation = "custom"
    return out


def _save(ctx: FunctionCtx, before: list[Any], after: list[Any]) -> None:
    flat: list[Any] = []
    for position, tensor in enumerate(ctx._to_save):
        number = next((nr for nr, out in enumerate(before) if out is tensor), None)
        if tensor is None:
            flat += (None, None, 0)
        elif number is None or after[number] is not tensor:
            flat += (tensor, tensor._cell, tensor._cell[0])
        else:
            flat += (tensor._array, tensor._cell, tensor._cell[0])
            ctx._own[position] = number
    ctx.saved = tuple(flat)
    ctx._to_save = ctx._dirty = ctx._constant = ()


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of `backward` methods that cannot be differentiated themselves."""

    @functools.wraps(backward)
    def without_graph(ctx: Any, *gradients: Any) -> Any:
        with no_grad_quietly():
            return backward(ctx, *gradients)

    return without_graph
