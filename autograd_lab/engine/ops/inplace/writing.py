"""Ops that write to a tensor: `add_`, `zero_`, `copy_`, ... The tensor gets the op's node as its new history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from autograd_lab import recorder
from autograd_lab.engine import either, reasons
from autograd_lab.engine import node as nodes
from autograd_lab.engine.apply import NUMBERS, Number, edges, mismatch, packed, told
from autograd_lab.engine.dtypes import BY_NUMPY, KINDS, Array, floating
from autograd_lab.engine.edges import Geometry, is_computed, is_view, rebase, refuse_view
from autograd_lab.engine.modes import is_grad_enabled
from autograd_lab.engine.node import Node, enter
from autograd_lab.engine.ops.activation import rectifier, sigmoids
from autograd_lab.engine.ops.copying import CopyBackwards, clone
from autograd_lab.engine.ops.pointwise import arithmetic, choice, division, elementary, rounding, trigonometry
from autograd_lab.engine.ops.pointwise.bounds import ClampBackward0, check_bounds
from autograd_lab.engine.variable import Variable, wrap, wrote

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor

SHARED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)
OVERLAPPING = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
_new: Any = object.__new__
FILLS = {"zero", "fill"}
"""Ops that may write to elements that are one in memory: they all become the same."""
MODIFIED = "and is being modified inplace"


def change(name: str, cls: type[Node], target: Any, others: Sequence[Any] = (), *args: Any) -> Tensor:
    """Write the result of an op over its first operand, and return it.

    Raises RuntimeError, before anything has changed, for a leaf that requires grad and for views of one.
    """
    operands, needed = [target], target._needs
    for other in others:
        operand = other if other is None or isinstance(other, Variable) else _number(name, other, target)
        operands.append(operand)
        needed = needed or (operand is not None and operand._needs)
    recorded = needed and target._array.dtype.kind not in "bui" and is_grad_enabled()
    try:
        if recorded:
            check_write(target)
        node = _new(cls)
        if recorded:
            _record(node, cls, operands)
        result = _result(node, cls, operands, args)
    except RuntimeError as error:
        if recorder.active is not None:
            recorder.active.error_raised(error, None, None, target)
        raise
    if result is not target._array:
        target._array[...] = result
    wrote(target)
    if recorded:
        _save_outputs(node, target)
        if nodes.on_recorded is not None:
            nodes.on_recorded(node)
        rebase(target, node, (*others, *(args if cls.takes_number else ())))
    if recorder.active is not None:
        if not recorded:
            recorder.active.tensor_modified(target, name)
        elif not is_view(target):
            told(node, True, (target, *others, *(args if cls.takes_number else ())), (target,), in_place=True)
    return target  # type: ignore[no-any-return]


def _result(node: Node, cls: type[Node], operands: list[Any], args: tuple[Any, ...]) -> Array:
    """What is to be written. Raises RuntimeError if that does not fit, or if an operand is partly written to."""
    x = operands[0]._array
    if len(operands) == 2 and cls.mixes and (other := operands[1]) is not None:  # most often, nothing of this matters
        y = other._array
        own = x.base is None and y.base is None and x is not y
        if own and x.dtype is y.dtype and x.dtype.kind in "fV" and (x.shape == y.shape or not y.ndim):
            result = node.forward(x, y, *args, out=x) if cls.writes else node.forward(x, y, *args)
            if result.dtype is x.dtype:
                return result
    for operand in operands[1:] if cls.op not in FILLS else ():
        if operand is not None and np.may_share_memory(x, operand._array):
            _check_memory(x, operand._array)
    arrays = _arrays(cls, operands)
    try:
        result = node.forward(*arrays, *args)
    except ValueError as error:
        raise (mismatch(arrays[0].shape, arrays[1].shape) if len(arrays) > 1 else None) or error from None
    if cls.op not in FILLS or result.shape != x.shape:
        _check_result(x, result, fills=issubclass(cls, ZeroBackward0))
    return result


def _number(name: str, other: Any, target: Variable) -> Number:
    if not isinstance(other, NUMBERS):
        raise TypeError(f"{name}(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    number = other.item() if isinstance(other, np.generic) else other
    dtype = target._array.dtype if target._array.dtype.kind in "fV" else None
    return Number(np.array(number, dtype), number)


def check_write(target: Variable) -> None:
    """Refuse to write where gradients would be wrong or lost."""
    refuse_view(target, MODIFIED)
    extra = target._extra
    if extra is not None and extra.base is not None and target._needs and not is_computed(extra.base):
        raise RuntimeError(reasons.leaf_written(reasons.IN_PLACE_ON_A_VIEW, target))
    if target._needs and not is_computed(target):
        raise RuntimeError(reasons.leaf_written(reasons.IN_PLACE, target))


def _record(node: Node, cls: type[Node], operands: list[Any]) -> None:
    """Link and save before the write; what is about to be overwritten is saved as a copy."""
    target = operands[0]
    node.next_functions = edges(operands[: cls.differentiable])
    enter(node, target)
    wanted = dict(cls.only_for).get("self", -1)
    if "self" in cls.saves and (wanted < 0 or node.next_functions[wanted][0] is not None):
        operands = [clone(target), *operands[1:]]
    node._saved = packed(node, operands, (target._array,) * 2, (target._cell,) * 2)
    node.save_rest(operands)


def _save_outputs(node: Node, target: Variable) -> None:
    if "result" in node.saves:
        assert node._saved is not None
        at = 3 * node.saves.index("result")
        node._saved = (*node._saved[:at], target._array, target._cell, target._cell[0], *node._saved[at + 3 :])


def _check_memory(x: Array, y: Array) -> None:
    """Refuse an operand that lies partly where the write goes, as far as that is easily seen."""
    same = (x.shape, x.strides) == (y.shape, y.strides) and byte_bounds(x) == byte_bounds(y)
    if not same and _dense(x) and _dense(y):
        raise RuntimeError(OVERLAPPING)


def check_apart(target: Variable, *operands: Any) -> None:
    """Refuse operands that lie where the write goes, be it partly or exactly."""
    x = target._array
    for operand in operands:
        if operand is target or (
            operand is not None and np.may_share_memory(x, operand._array) and _dense(x) and _dense(operand._array)
        ):
            raise RuntimeError(OVERLAPPING)


def _dense(x: Array) -> bool:
    """True if the elements fill a stretch of memory, in whatever order."""
    return x.size > 0 and Geometry(x, x).extent() == x.size and 0 not in x.strides


def _arrays(cls: type[Node], operands: list[Any]) -> list[Array]:
    arrays: list[Array] = [None if operand is None else operand._array for operand in operands]
    if not cls.mixes:
        return arrays
    first = arrays[0].dtype
    if len(arrays) > 1 and (arrays[1].dtype is not first or any(array.dtype is not first for array in arrays[2:])):
        arrays = cls.mix(*(o._cell[1] if isinstance(o, Number) else o._array for o in operands))
    return [floating(array) for array in arrays] if cls.floats else arrays


def _check_result(x: Array, result: Array, fills: bool) -> None:
    if (
        not fills
        and x.size
        and 0 in x.strides
        and any(step == 0 and size > 1 for step, size in zip(x.strides, x.shape, strict=True))
    ):
        raise RuntimeError(SHARED)
    if result.shape != x.shape:
        raise RuntimeError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(result.shape)}")
    check_cast(x, result)


def check_cast(x: Array, result: Array) -> None:
    """Raise RuntimeError for results of a higher kind than the tensor that they are to be written to."""
    if KINDS[result.dtype.kind] > KINDS[x.dtype.kind]:
        have, want = BY_NUMPY[result.dtype].title, BY_NUMPY[x.dtype].title
        raise RuntimeError(f"result type {have} can't be cast to the desired output type {want}")


class ZeroBackward0(Node):
    """z becomes 0, so nothing flows back."""

    def forward(self, x: Array) -> Array:
        return np.zeros_like(x)

    def backward(self, g: Any) -> Any:
        return either.zeros_like(g)


class FillBackward2(ZeroBackward0):
    """z becomes a number, so nothing flows back."""

    op = "fill"

    def forward(self, x: Array, number: Any = 0) -> Array:
        return np.full_like(x, number)


def unary(name: str, cls: type[Node]) -> Callable[[Tensor], Tensor]:
    """The function of one tensor that writes an op's result over it."""

    def write(input: Tensor) -> Tensor:
        return change(name, cls, input)

    write.__name__ = write.__qualname__ = name
    write.__doc__ = cls.__doc__
    return write


abs_ = unary("abs_", elementary.AbsBackward0)
ceil_ = unary("ceil_", rounding.CeilBackward0)
cos_ = unary("cos_", trigonometry.CosBackward0)
exp_ = unary("exp_", elementary.ExpBackward0)
floor_ = unary("floor_", rounding.FloorBackward0)
log_ = unary("log_", elementary.LogBackward0)
neg_ = unary("neg_", elementary.NegBackward0)
reciprocal_ = unary("reciprocal_", elementary.ReciprocalBackward0)
relu_ = unary("relu_", rectifier.ReluBackward0)
round_ = unary("round_", rounding.RoundBackward0)
rsqrt_ = unary("rsqrt_", elementary.RsqrtBackward0)
sigmoid_ = unary("sigmoid_", sigmoids.SigmoidBackward0)
sin_ = unary("sin_", trigonometry.SinBackward0)
sqrt_ = unary("sqrt_", elementary.SqrtBackward0)
tanh_ = unary("tanh_", sigmoids.TanhBackward0)
zero_ = unary("zero_", ZeroBackward0)


def add_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """x becomes x + alpha y."""
    if alpha != 1 or alpha is True:
        arithmetic.check_alpha(alpha, input, other)
    return change("add_", arithmetic.AddBackward0, input, (other,), alpha)


def sub_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """x becomes x - alpha y."""
    if alpha != 1 or alpha is True:
        arithmetic.check_alpha(alpha, input, other)
    if type(other) is bool:
        arithmetic.not_of_truth_values(other)
    return change("sub_", arithmetic.SubBackward0, input, (other,), alpha)


def mul_(input: Tensor, other: Any) -> Tensor:
    """x becomes x y."""
    return change("mul_", arithmetic.MulBackward0, input, (other,))


def div_(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """x becomes x / y, rounded down for the mode "floor", towards 0 for "trunc"."""
    if rounding_mode is None:
        return change("div_", arithmetic.DivBackward0, input, (other,))
    division.check_mode(rounding_mode)
    return change("div_", division.DivBackward2, input, (other,), rounding_mode)


def pow_(input: Tensor, exponent: Any) -> Tensor:
    """x becomes x to the power of y."""
    if isinstance(exponent, Variable):
        return change("pow_", arithmetic.PowBackward1, input, (exponent,))
    return change("pow_", arithmetic.PowBackward0, input, (), exponent)


def square_(input: Tensor) -> Tensor:
    """x becomes x²."""
    return pow_(input, 2)


def copy_(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """The elements become those of `src`, broadcast and cast where needed."""
    if isinstance(src, NUMBERS):
        src = wrap(np.asarray(src))
    if not isinstance(src, Variable):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    return change("copy_", CopyBackwards, input, (src,))


def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Every element becomes at least `min` and at most `max`."""
    if isinstance(min, Variable) or isinstance(max, Variable):
        check_bounds(input, min, max)
        return change("clamp_", ClampBackward0, input, (min, max))
    return change("clamp_", choice.ClampBackward1, input, (), min, max)


def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """The elements where the mask holds become `value`."""
    cls, (_, *others), *args = choice.filling(input, mask, value)
    return change("masked_fill_", cls, input, others, *args)


def detach_(input: Tensor) -> Tensor:
    """The tensor itself becomes a leaf that requires no gradient."""
    if input._extra is not None and input._extra.base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) "
            "for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and "
            "hence detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    input._edge, input._needs = None, False
    if recorder.active is not None:
        recorder.active.detached(input, input, "detach_")
    return input
