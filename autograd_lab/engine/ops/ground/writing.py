"""Writing an op's result over its first operand, which gets the op's node as its new history."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.apply import NUMBERS, Number, apply1, apply2, applyn, edges, packed
from autograd_lab.engine.core.edges import edge_of
from autograd_lab.engine.core.node import Node, enter
from autograd_lab.engine.core.variable import Variable, wrap, wrote
from autograd_lab.engine.errors import noted, reasons
from autograd_lab.engine.errors.operands import first_mismatch, refuse, type_name
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.exact.aliasing import SHARED, has_node, is_shared, is_view, rebase, refuse_view
from autograd_lab.engine.exact.elementless import check_source
from autograd_lab.engine.exact.mapping import check_write as check_shared
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, KINDS, Array, floating, mixed, own_number
from autograd_lab.engine.numbers.quiet import QUIET, quieten
from autograd_lab.engine.ops.ground.copying import clone
from autograd_lab.engine.ops.ground.overlap import OVERLAPPING, dense
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

_new: Any = object.__new__
FILLS = {"zero", "fill"}
"""Ops that may write a number to elements that are one in memory: they all become the same."""
CHECKED = {*FILLS, "index_put_", "index_put", "index_fill", "masked_fill", "masked_scatter", "addmv"}
"""Ops that do not mind where their operands lie, or of which that is asked before."""
PLACES = {
    "index_put": "tensor[indices] = tensor",
    "index_fill": "tensor[mask] = scalar",
    "masked_fill": "tensor[mask] = scalar",
    "tril": "",
    "triu": "",
}
"""Ops that may do so as well, though they do not write to all; how PyTorch says what it warns of."""
EXPANDED = (
    "Use of {}_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This "
    "also applies to advanced indexing e.g. {}"
)
TOLD_LATE = ("ZeroDivisionError", "The size of tensor a ")
"""Mistakes that PyTorch finds no sooner than it computes, or looks at shapes."""
OPERATORS = {"add_", "sub_", "mul_", "div_", "remainder_", "floor_divide_", "pow_"}
OPERATORS |= {f"bitwise_{name}_" for name in ("and", "or", "xor", "left_shift", "right_shift")}
"""What operators such as `+=` call."""
MODIFIED = "and is being modified inplace"


def change(name: str, cls: type[Node], target: Any, others: Sequence[Any] = (), *args: Any) -> Tensor:
    """Write the result of an op over its first operand, and return it.

    Raises RuntimeError, before anything has changed, for a leaf that requires grad and for views of one.
    """
    if (warnings.filters or (None,))[0] is not QUIET:
        quieten()
    if cls.writes and seams.carry is None and len(others) == 1 and _written(cls, target, others[0], args):
        if listening.active is not None:
            listening.active.tensor_modified(target, name)
        return target
    operands, needed = [target], target._needs
    for other in others:
        if len(others) == 1 and not isinstance(other, (Variable, *NUMBERS)):
            return refused(name, other)
        operand = other if other is None or isinstance(other, Variable) else _number(name, other, target)
        operands.append(operand)
        needed = needed or (operand is not None and operand._needs)
    needed = needed and is_grad_enabled()
    recorded = needed and target._array.dtype.kind not in "bui"
    before = target
    if seams.carry is not None:
        check_source(target._array, operands)
        check_shared(name, target, operands[1:])
    try:
        if needed and (recorded or cls.op != "copy_"):
            check_write(target)
        if forward.level:
            before = _as_it_is(target)
        node = _new(cls)
        if recorded:
            _record(node, cls, operands)
        elif needed and cls.op != "copy_":
            edges(operands[: cls.differentiable])  # raises for a view whose history is lost
        result = _result(node, cls, operands, args)
    except RuntimeError as error:
        if listening.active is not None:
            listening.active.error_raised(error, None, None, target)
        raise
    operands[0] = before
    if result is not target._array:
        target._array[...] = result
    wrote(target)
    if recorded:
        _save_outputs(node, target)
        if seams.on_recorded is not None:
            seams.on_recorded(node)
        rebase(target, node, (*others, *(args[:1] if cls.takes_number else ())))
    if listening.active is not None:
        if not recorded:
            listening.active.tensor_modified(target, name)
        elif not is_view(target):
            taken = (target, *others, *(args[:1] if cls.takes_number else ()))
            listening.told(node, True, taken, (target,), in_place=True)
    if forward.level:
        forward.carry(node, operands, (target,), lambda made: _apart(cls, made, args), forward.rewrite_tangent)
    return target


def _written(cls: type[Node], x: Any, y: Any, args: tuple[Any, ...]) -> bool:
    """Write, in short, if nothing is recorded, and the result fits as it is; what happens in a step of an optimizer."""
    if not isinstance(y, Variable) or ((x._needs or y._needs) and is_grad_enabled()):
        return False
    array, other = x._array, y._array
    if (
        array.base is not None or other.base is not None or array is other or array.dtype is not other.dtype
        or (array.shape != other.shape and other.ndim) or array.dtype.kind not in "fV"
    ):  # fmt: skip
        return False
    if array.size == 1:  # for which numpy takes twice as long with `out`
        array[...] = _new(cls).forward(array, other, *args)
    else:
        _new(cls).forward(array, other, *args, out=array)
    wrote(x, 2)
    return True


def _as_it_is(target: Any) -> Any:
    """What a tensor is before a write, for the tangent of what comes of it."""
    before: Any = wrap(target._array.copy(), target._needs)
    before._edge = edge_of(target) if target._needs else None
    forward.copy_tangents(target, before)
    return before


def _apart(cls: type[Node], operands: Sequence[Any], args: tuple[Any, ...]) -> Sequence[Any]:
    """The op out of place."""
    if len(operands) == 2 and cls.mixes:
        return (apply2(cls, *operands, *args),)
    return (applyn(cls, operands, *args) if len(operands) > 1 else apply1(cls, operands[0], *args),)


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
    if cls.op == "copy_" and len(operands) > 1 and _is_same(x, operands[1]._array):
        return x
    arrays = _arrays(cls, operands)
    shared = is_shared(x)
    if not cls.mixes:
        _check_operands(cls, operands, shared)
    try:
        result = node.forward(*arrays, *args)
    except (ValueError, RuntimeError) as error:
        if isinstance(error, (ValueError, NotImplementedError)) or str(error).startswith(TOLD_LATE):
            _check_all(cls, operands, arrays, args[:1] if cls.takes_number and len(operands) == 1 else ())
        raise
    if cls.mixes:
        _check_operands(cls, operands, shared)
    if cls.op in FILLS and not (shared and len(operands) > 1):
        return result
    if not shared or cls.op not in PLACES:
        _check_result(x, result)
        return result
    _warn_of_shared(cls.op, operands)
    np.copyto(x, result, where=result != x)  # what is written at one place is seen at those that lie there too
    return x


def _check_all(cls: type[Node], operands: list[Any], arrays: Sequence[Array], numbers: Sequence[Number]) -> None:
    """Raise what PyTorch says before it comes to a kernel."""
    _check_operands(cls, operands, is_shared(operands[0]._array))
    refuse(first_mismatch([array.shape for array in arrays if array is not None]))
    if cls.mixes:
        _check_result(operands[0]._array, _room(arrays, numbers))


def check_two(cls: type[Node], target: Variable, other: Any) -> None:
    """Raise what PyTorch says of two operands before it looks at other arguments."""
    operands = [target, other if isinstance(other, Variable) else _number(cls.op, other, target)]
    _check_all(cls, operands, _arrays(cls, operands), ())


def _check_operands(cls: type[Node], operands: list[Any], shared: bool) -> None:
    """Refuse to write to elements that are one in memory, and where an operand partly lies."""
    if shared and cls.op not in PLACES and not (cls.op in FILLS and len(operands) == 1):
        raise RuntimeError(SHARED)
    x = operands[0]._array
    for operand in operands[1:] if cls.op not in CHECKED else ():
        if operand is not None and np.may_share_memory(x, operand._array):
            check_memory(x, operand._array)


def _is_same(x: Array, y: Array) -> bool:
    """Whether two arrays are the same elements of the same memory: to copy them changes nothing."""
    if not np.may_share_memory(x, y) or (x.dtype, x.shape, x.strides) != (y.dtype, y.shape, y.strides):
        return False
    return byte_bounds(x) == byte_bounds(y)


def _room(arrays: Sequence[Array], numbers: Sequence[Number]) -> Array:
    """An array as the result would be, could it be computed."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return np.broadcast_to(np.zeros((), mixed(*arrays, *numbers)[0].dtype), shape)


def _warn_of_shared(op: str, operands: list[Any]) -> None:
    masks = [one._array.dtype.kind == "b" for one in operands[2:] if one is not None]
    fills = op == "index_put" and operands[1]._array.size == 1 and all(masks)
    for each in (op, "masked_fill") if fills else (op,):
        if PLACES[each]:
            warnings.warn(EXPANDED.format(each, PLACES[each]), UserWarning, stacklevel=users_level())


def refused(name: str, other: Any) -> Any:
    """What an op in place makes of what is neither tensor nor number: operators as `+=` leave it to others."""
    if name in OPERATORS:
        return NotImplemented
    raise TypeError(f"{name}(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")


def _number(name: str, other: Any, target: Variable) -> Number:
    if not isinstance(other, NUMBERS):
        raise TypeError(f"{name}(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")
    number = own_number(other) if isinstance(other, np.generic) else other
    kind = target._array.dtype
    dtype = None if kind.kind not in "fV" else F32 if kind.itemsize == 2 else kind  # `mix` rounds it, or does not
    return Number(np.array(number, dtype), number)


def may_write(target: Variable, *others: Any) -> None:
    """Refuse what `change` refuses first, for those who look at other arguments before they call it."""
    needed = target._needs or any(isinstance(other, Variable) and other._needs for other in others)
    if not needed or not is_grad_enabled():
        return
    try:
        check_write(target)
    except RuntimeError as error:
        if listening.active is not None:
            listening.active.error_raised(error, None, None, target)
        raise


def check_write(target: Variable) -> None:
    """Refuse to write where gradients would be wrong or lost."""
    refuse_view(target, MODIFIED)
    extra = target._extra
    if extra is not None and extra.base is not None and target._needs and not has_node(extra.base):
        raise noted(RuntimeError(reasons.IN_PLACE_ON_A_VIEW), reasons.leaf_written(target))
    if target._needs and not has_node(target):
        raise noted(RuntimeError(reasons.IN_PLACE), reasons.leaf_written(target))


def _record(node: Node, cls: type[Node], operands: list[Any]) -> None:
    """Link and save before the write; what is about to be overwritten is saved as a copy."""
    target = operands[0]
    node.next_functions = edges(operands[: cls.differentiable])
    enter(node, target)
    wanted = dict(cls.only_for).get("self", -1)
    if "self" in cls.saves and (wanted < 0 or node.next_functions[wanted][0] is not None):
        operands = [clone(target), *operands[1:]]
    node._saved = packed(node, operands, (target._array,) * 2, ([0],) * 2)  # what it will be: `_save_outputs`
    node.save_rest(operands)


def _save_outputs(node: Node, target: Variable) -> None:
    if "result" in node.saves:
        assert node._saved is not None
        at = 3 * node.saves.index("result")
        node._saved = (*node._saved[:at], target._array, target._cell, target._cell[0], *node._saved[at + 3 :])


def check_memory(x: Array, y: Array) -> None:
    """Refuse an operand that lies partly where the write goes, as far as that is easily seen."""
    same = (x.shape, x.strides) == (y.shape, y.strides) and byte_bounds(x) == byte_bounds(y)
    if not same and dense(x) and dense(y):
        raise RuntimeError(OVERLAPPING)


def check_apart(target: Variable, *operands: Any) -> None:
    """Refuse operands that lie where the write goes, be it partly or exactly."""
    x = target._array
    for operand in operands:
        if operand is target or (
            operand is not None and np.may_share_memory(x, operand._array) and dense(x) and dense(operand._array)
        ):
            raise RuntimeError(OVERLAPPING)


def check_places(target: Variable, *operands: Any) -> None:
    """The same, after a target several elements of which are one."""
    x = target._array
    if is_shared(x):
        raise RuntimeError(SHARED)
    check_apart(target, *operands)


def _arrays(cls: type[Node], operands: list[Any]) -> list[Array]:
    arrays: list[Array] = [None if operand is None else operand._array for operand in operands]
    if not cls.mixes:
        return arrays
    first = arrays[0].dtype
    if len(arrays) > 1 and (arrays[1].dtype is not first or any(array.dtype is not first for array in arrays[2:])):
        arrays = cls.mix(*(o._cell[1] if isinstance(o, Number) else o._array for o in operands))
    return [floating(array) for array in arrays] if cls.floats else arrays


def _check_result(x: Array, result: Array) -> None:
    if result.shape != x.shape:
        raise RuntimeError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(result.shape)}")
    check_cast(x, result)


def check_cast(x: Array, result: Array) -> None:
    """Raise RuntimeError for results of a higher kind than the tensor that they are to be written to."""
    if KINDS[result.dtype.kind] > KINDS[x.dtype.kind]:
        have, want = BY_NUMPY[result.dtype].title, BY_NUMPY[x.dtype].title
        raise RuntimeError(f"result type {have} can't be cast to the desired output type {want}")


def unary(cls: type[Node]) -> Callable[[Tensor], Tensor]:
    """The function of one tensor that writes an op's result over it."""

    def write(input: Tensor) -> Tensor:
        return change(name, cls, input)

    name = write.__name__ = write.__qualname__ = f"{cls.op}_"
    write.__doc__ = cls.__doc__
    return write


def binary(
    cls: type[Node], with_number: type[Node] | None = None, numbers: bool = True
) -> Callable[[Tensor, Any], Tensor]:
    """The function that writes an op of two operands over the first; numbers may have an op of their own, or none."""

    def write(input: Tensor, other: Any) -> Tensor:
        if with_number is not None and isinstance(other, NUMBERS):
            return change(name, with_number, input, (), other)
        if not numbers and not isinstance(other, Variable):
            raise TypeError(f"{name}(): argument 'other' (position 1) must be Tensor, not {type_name(other)}")
        return change(name, cls, input, (other,))

    name = write.__name__ = write.__qualname__ = f"{cls.op}_"
    write.__doc__ = cls.__doc__
    return write
