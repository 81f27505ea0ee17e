"""What a tensor's elements are (`float32`, `int64`, ...), how dtypes mix, and `Size`, the shape of a tensor.

Mixing follows PyTorch: a tensor with dimensions outweighs a 0-d tensor, which outweighs a Python number, as long as all
are of one kind (boolean < integer < floating); a higher kind always wins. So float32 plus a 0-d float64 is float32.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from functools import cache
from typing import Any, SupportsIndex

import numpy as np

__all__ = [
    "Size", "can_cast", "double", "dtype", "finfo", "float16", "float32", "float64", "get_default_dtype", "half",
    "iinfo", "int8", "int16", "int32", "int64", "long", "promote_types", "set_default_dtype", "short", "uint8",
]  # fmt: skip

Array = Any
"""A numpy array of any shape and dtype: numpy's own types would say no more, at length."""

NumpyDtype = np.dtype[Any]


class dtype:
    """A type of elements; `numpy` is numpy's own name for it, `title` and `cpp` are those in PyTorch's messages."""

    __slots__ = ("cpp", "is_floating_point", "itemsize", "name", "numpy", "title")

    def __init__(self, name: str, title: str, cpp: str, numpy: NumpyDtype | None = None) -> None:
        self.name = name
        self.title = title
        self.cpp = cpp
        self.numpy: NumpyDtype = numpy or np.dtype(name)
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = self.numpy.kind in "fV"

    @property
    def measure(self) -> NumpyDtype:
        """What numpy, or `ml_dtypes`, knows the limits of these numbers by."""
        return self.numpy

    @property
    def is_complex(self) -> bool:
        """Whether it is named so: no tensor has such elements."""
        return self.name.startswith("complex")

    @property
    def is_signed(self) -> bool:
        """Whether its numbers may be below 0."""
        return not self.name.startswith(("uint", "quint", "bool", "float8_e8m0"))

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> Any:
        return _named, (self.name,)


float16 = half = dtype("float16", "Half", "c10::Half")
float32 = dtype("float32", "Float", "float")
float64 = double = dtype("float64", "Double", "double")
uint8 = dtype("uint8", "Byte", "unsigned char")
int8 = dtype("int8", "Char", "signed char")
int16 = short = dtype("int16", "Short", "short int")
int32 = dtype("int32", "Int", "int")
int64 = long = dtype("int64", "Long", "long int")
bool_ = dtype("bool", "Bool", "bool")


def of_python(wanted: Any) -> dtype:
    """The dtype itself, or the one that stands for Python's `float`, `int` or `bool`."""
    if isinstance(wanted, dtype):
        return wanted
    if wanted in (float, int, bool):
        return {float: float64, int: int64, bool: bool_}[wanted]
    raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(wanted).__name__}")


BY_NUMPY: dict[NumpyDtype, dtype] = {
    each.numpy: each for each in (float16, float32, float64, uint8, int8, int16, int32, int64, bool_)
}


@cache
def bfloat16() -> dtype:
    """The dtype bfloat16, known from when it is first asked for. Raises ImportError if `ml_dtypes` is not there."""
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError("bfloat16 needs the package ml_dtypes: pip install ml_dtypes") from None
    found = dtype("bfloat16", "BFloat16", "c10::BFloat16", np.dtype(ml_dtypes.bfloat16))
    BY_NUMPY[found.numpy] = found
    WIDE[found.numpy] = F32
    return found


def _named(name: str) -> dtype:
    """The dtype of that name: unpickled, it is still itself."""
    return bfloat16() if name == "bfloat16" else next(each for each in BY_NUMPY.values() if each.name == name)


F32, F64, I64, BOOL = float32.numpy, float64.numpy, int64.numpy, bool_.numpy

WIDE: dict[NumpyDtype, NumpyDtype] = {
    each.numpy: F32 if each.is_floating_point else I64
    for each in BY_NUMPY.values()
    if not each.is_floating_point or each.itemsize < 4
}
"""What sums are taken in, for dtypes that would overflow or lose digits."""

default: NumpyDtype = F32
"""The dtype of Python floats; `set_default_dtype` changes it."""


def set_default_dtype(d: dtype) -> None:
    """Make `d` the dtype of Python floats. Raises TypeError unless it is a floating one."""
    global default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    default = d.numpy


def get_default_dtype() -> dtype:
    """The dtype of Python floats."""
    return BY_NUMPY[default]


def dtype_of(array: Array) -> dtype:
    """The dtype of an array's elements. Raises TypeError if tensors cannot hold them."""
    found = BY_NUMPY.get(array.dtype)
    if found is None:
        supported = ", ".join(each.name for each in BY_NUMPY.values())
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{array.dtype.name}. The only supported types are: {supported}."
        )
    return found


def of_one_dtype(array: Array) -> Array:
    """The array, in the same memory, with the one object that stands for its dtype here.

    Arrays that were unpickled have a dtype of their own, equal to numpy's but another object.
    """
    kind = dtype_of(array).numpy
    return array if array.dtype is kind else array.view(kind)


KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2}
"""How far up a kind is; "V" is what numpy calls bfloat16, which it does not know itself."""


def own_number(number: Any) -> Any:
    """A number of numpy's as Python's own: to PyTorch a truth value of numpy's is a float."""
    return float(number) if type(number) is np.bool_ else number.item()


def number_dtype(number: Any) -> NumpyDtype:
    """The dtype that a Python number has by itself."""
    if isinstance(number, bool):
        return BOOL
    return I64 if isinstance(number, int | np.integer) else default


def promote(first: NumpyDtype | None, second: NumpyDtype | None) -> NumpyDtype | None:
    """The smallest dtype that holds both, except that a floating one wins over any integer one as it is."""
    if first is None or second is None:
        return second if first is None else first
    if (first.kind in "fV") != (second.kind in "fV"):
        return first if first.kind in "fV" else second
    if first != second and first.itemsize == second.itemsize == 2 and first.kind in "fV":
        return F32  # float16 and bfloat16: neither holds the other
    return np.promote_types(first, second)


def _outweigh(higher: NumpyDtype | None, lower: NumpyDtype | None) -> NumpyDtype | None:
    if higher is None or lower is None:
        return lower if higher is None else higher
    return higher if KINDS[higher.kind] >= KINDS[lower.kind] else promote(higher, lower)


def result_dtype(operands: Iterable[Any]) -> NumpyDtype:
    """The dtype of what mixes arrays (of some dimensions, or 0-d) and Python numbers."""
    shaped: NumpyDtype | None = None
    scalar: NumpyDtype | None = None
    number: NumpyDtype | None = None
    for operand in operands:
        if not isinstance(operand, np.ndarray):
            number = promote(number, number_dtype(operand))
        elif operand.ndim:
            shaped = promote(shaped, operand.dtype)
        else:
            scalar = promote(scalar, operand.dtype)
    result = _outweigh(shaped, _outweigh(scalar, number))
    assert result is not None, "an op has at least one operand"
    return result


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that holds both, except that a floating one wins over any integer one as it is."""
    found = promote(type1.numpy, type2.numpy)
    assert found is not None
    return BY_NUMPY[found]


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a cast goes to a kind as high or higher: truth values, then integers, then floats."""
    return KINDS[from_.numpy.kind] <= KINDS[to.numpy.kind]


def _limits(kind: NumpyDtype) -> Any:
    """The limits of bfloat16, which numpy itself does not know."""
    import ml_dtypes

    of: Any = ml_dtypes.finfo
    return of(kind)


def _of(type: Any, asker: str) -> dtype:
    """What is asked of, if it is a dtype. Raises TypeError."""
    if isinstance(type, dtype):
        return type
    given = type.__class__.__name__
    raise TypeError(f"{asker}(): argument 'type' (position 1) must be torch.dtype, not {given}")


class finfo:
    """The limits of a floating dtype."""

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: dtype | None = None) -> None:
        kind = BY_NUMPY[default] if type is None else _of(type, "finfo")
        if not (kind.is_floating_point or kind.is_complex):
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        of = kind.measure
        found = np.finfo(of) if issubclass(of.type, np.floating) else _limits(of)
        self.bits, self.dtype, self.eps = of.itemsize * 8, of.name, float(found.eps)
        digits = found.precision if of.itemsize > 1 else 0
        self.max, self.min, self.resolution = float(found.max), float(found.min), float(f"1e-{digits}")
        self.smallest_normal = self.tiny = float(found.tiny)

    def __repr__(self) -> str:
        parts = (
            f"{name}={getattr(self, name):g}" for name in ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        )
        return f"finfo({', '.join(parts)}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype."""

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: dtype) -> None:
        if _of(type, "iinfo") is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.measure.kind not in "ui":
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        found = np.iinfo(type.measure)
        self.bits, self.dtype, self.max, self.min = type.itemsize * 8, type.name, int(found.max), int(found.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def mixed(*operands: Any) -> list[Array]:
    """Arrays and numbers as arrays of the one dtype that their result has."""
    from autograd_lab.engine.numbers.quiet import be_quiet  # seldom: most operands are of one dtype

    dtype = result_dtype(operands)
    be_quiet()
    try:
        return [_cast(operand, dtype) for operand in operands]
    except OverflowError:  # an integer too large for the dtype wraps around
        return [np.asarray(operand).astype(dtype) for operand in operands]


def _cast(operand: Any, kind: Any) -> Array:
    is_repeated = isinstance(operand, np.ndarray) and 0 in operand.strides
    return operand.astype(kind, order_of(operand), copy=False) if is_repeated else np.asarray(operand, kind)


def fitted(number: Any, kind: NumpyDtype, name: str = "") -> Any:
    """A Python number as an element of a dtype; negative whole ones wrap around in unsigned dtypes.

    Raises RuntimeError for one that is out of its range.
    """
    if kind is F64 or kind is BOOL or not isinstance(number, int | float):
        return number
    low, high = _range(kind)
    whole = kind.kind in "ui"
    if low <= number <= high:
        return int(number) if whole else number
    if kind.kind == "u" and isinstance(number, int) and -high <= number < 0:
        return number % (high + 1)
    if whole or math.isfinite(number):
        cpp = ({"int32": "int"}.get(kind.name) or f"{kind.name}_t") if whole else BY_NUMPY[kind].cpp
        raise RuntimeError(f"value cannot be converted to type {name or cpp} without overflow")
    return number


def alone(number: Any, kind: NumpyDtype) -> Any:
    """`fitted`, of a number that becomes a 0-d tensor first: too large for half precision, it is infinite there."""
    return number if kind.itemsize == 2 and kind.kind in "fV" else fitted(number, kind)


@cache
def _range(kind: NumpyDtype) -> tuple[Any, Any]:
    limits = iinfo(BY_NUMPY[kind]) if kind.kind in "ui" else finfo(BY_NUMPY[kind])
    return limits.min, limits.max


def floating(array: Array) -> Array:
    """The array itself, or its elements as default floats if they are integers or booleans."""
    return array if array.dtype.kind in "fV" else array.astype(default, order=order_of(array))


def order_of(x: Array) -> Any:
    """How a copy is laid out in memory: as what it is of, unless elements are in there more than once."""
    expanded = 0 in x.strides and any(not step and size > 1 for step, size in zip(x.strides, x.shape, strict=True))
    return "C" if expanded else "K"


def steps(array: Array) -> tuple[int, ...]:
    """An array's strides, counted in elements; where there are none, those that PyTorch gives a new tensor."""
    return steps_of(array.shape, array.strides, array.itemsize)


def steps_of(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """`steps` of an array with this shape, these strides in bytes, and elements of so many bytes."""
    if 0 not in shape:
        return tuple([stride // itemsize for stride in strides])
    shape = tuple([max(size, 1) for size in shape])
    return tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))


def of_kind(kinds: str, array: Array, kernel: str, least: int = 1) -> Array:
    """The array itself. Raises NotImplementedError, which names PyTorch's kernel, for other or too short dtypes."""
    if array.dtype.kind not in kinds or array.dtype.itemsize < least:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[array.dtype].title}'")
    return array


def both_of_kind(kinds: str, x: Array, y: Array, kernel: str) -> None:
    """The same of the first of two arrays; those that do not broadcast raise ValueError before."""
    if x.dtype.kind not in kinds:
        np.broadcast(x, y)
        of_kind(kinds, x, kernel)


def _whole(at: int, item: Any) -> int:
    try:
        return operator.index(item)
    except (TypeError, ValueError) as error:
        kind = type(item).__name__
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {at} is '{kind}')") from error


class Size(tuple[int, ...]):
    """A tensor's shape."""

    __slots__ = ()

    def __new__(cls, items: Any = ()) -> Size:
        """From whole numbers. Raises TypeError for others."""
        if type(items) is not tuple or not all(type(item) is int for item in items):
            items = tuple(_whole(at, item) for at, item in enumerate(items))
        return tuple.__new__(cls, items)

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        return Size(super().__getitem__(index)) if isinstance(index, slice) else super().__getitem__(index)

    def __add__(self, other: Any) -> Any:
        return Size(tuple(self) + tuple(other))
