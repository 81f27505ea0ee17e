"""What is said of operands that do not suit an op."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.errors import is_tensor, noted, reasons
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, NumpyDtype, result_dtype
from autograd_lab.whose import users_level


def all_tensors(operands: Sequence[Any]) -> None:
    """Raise TypeError unless all operands in a list are tensors."""
    for position, operand in enumerate(operands):
        if not is_tensor(operand):
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type_name(operand)}")


def check_same_dtype(first: NumpyDtype, second: NumpyDtype) -> None:
    """Raise PyTorch's error unless two operands are of the same dtype."""
    if first is not second:
        want, have = BY_NUMPY[first].title, BY_NUMPY[second].title
        raise RuntimeError(f"expected scalar type {want} but found {have}")


def refuse(error: RuntimeError | None) -> None:
    """Raise an error, if there is one, and let go of it: one that a frame below it has would keep all frames alive."""
    try:
        if error is not None:
            raise error from None
    finally:
        del error


def mismatch(first: tuple[int, ...], second: tuple[int, ...]) -> RuntimeError | None:
    """PyTorch's error for shapes that do not broadcast; None if they do."""
    longest = max(len(first), len(second))
    for back in range(1, min(len(first), len(second)) + 1):
        if first[-back] != second[-back] and 1 not in (first[-back], second[-back]):
            message = (
                f"The size of tensor a ({first[-back]}) must match the size of tensor b ({second[-back]}) "
                f"at non-singleton dimension {longest - back}"
            )
            return noted(RuntimeError(message), reasons.shapes(first, second))
    return None


def first_mismatch(shapes: Sequence[tuple[int, ...]]) -> RuntimeError | None:
    """PyTorch's error for the first shape that does not broadcast with those before it."""
    whole = shapes[0]
    for shape in shapes[1:]:
        if error := mismatch(whole, shape):
            return error
        whole = np.broadcast_shapes(whole, shape)
    return None


def check_alpha(alpha: Any, *operands: Any) -> None:
    """Raise RuntimeError for a factor that the dtype of the result cannot hold, and for what does not broadcast."""
    arrays = [getattr(one, "_array", one) for one in operands]
    shapes = [array.shape for array in arrays if hasattr(array, "shape")]
    if len(shapes) > 1:
        refuse(mismatch(*shapes))
    kind = result_dtype(arrays).kind
    if type(alpha) is bool and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float | np.floating | np.bool_) and kind in "bui":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


def not_broadcast(error: ValueError) -> RuntimeError | None:
    """PyTorch's error in the place of numpy's for shapes that do not broadcast; None for any other error."""
    told = re.match(r"operands could not be broadcast together with shapes (\(.*?\)) (\(.*?\))", str(error))
    copied = re.match(r"could not broadcast input array from shape (\(.*?\)) into shape (\(.*?\))", str(error))
    if told is None and copied is None:
        return None
    shapes = told.groups() if told else copied.groups()[::-1]  # type: ignore[union-attr]
    first, second = (tuple(map(int, re.findall(r"\d+", shape))) for shape in shapes)
    return mismatch(first, second) or (does_not_fit(first, second) if copied else None)


def does_not_fit(shape: tuple[int, ...], other: tuple[int, ...]) -> RuntimeError:
    """PyTorch's error for a result that would need more room than it is to be written to."""
    whole = list(np.broadcast_shapes(shape, other))
    return RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {whole}")


def only_tensors(op: str, *operands: Any, names: Sequence[str] = ("input", "other")) -> None:
    """Raise TypeError unless all operands of a function, which have these names, are tensors."""
    for position, operand in enumerate(operands):
        if not is_tensor(operand):
            raise not_a_tensor(op, names[position], position + 1, operand)


def only_number(given: Any) -> None:
    """Raise TypeError unless something is a number; who called the op says the rest."""
    if not isinstance(given, (int, float, np.generic)):
        raise TypeError(f"argument must be Number, not {type_name(given)}")


def only_bools(*given: Any) -> None:
    """Raise TypeError unless all are True or False; who called the op says the rest."""
    if not all(type(one) is bool for one in given):
        raise TypeError("argument must be bool")


def not_a_tensor(op: str, name: str, position: int, given: Any) -> TypeError:
    """PyTorch's error for an argument that is to be a tensor."""
    return TypeError(f"{op}(): argument '{name}' (position {position}) must be Tensor, not {type_name(given)}")


IN_C = {name: f"torch.{name}" for name in ("device", "dtype", "layout", "memory_format", "Size")}
IN_C["Generator"] = "torch._C.Generator"
"""Classes that are written in C in PyTorch, and what that calls them."""


def type_name(thing: Any) -> str:
    """What Python's C calls a type: those that are written in C have their module before their name."""
    cls = type(thing)
    if cls.__name__ in IN_C and cls.__module__.startswith(("autograd_lab", "torch")):
        return IN_C[cls.__name__]
    in_c = not cls.__flags__ & 1 << 9  # Py_TPFLAGS_HEAPTYPE
    return f"{cls.__module__}.{cls.__name__}" if in_c and cls.__module__ != "builtins" else cls.__name__


RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)


def warn_of_resized(had: tuple[int, ...], needed: tuple[int, ...]) -> None:
    """Say that a tensor with elements was given another shape, since a result is written to it."""
    warnings.warn(RESIZED.format(list(had), list(needed)), UserWarning, stacklevel=users_level())
