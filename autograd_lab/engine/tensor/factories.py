"""Functions that make new tensors: from data and from shapes."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.apply import NUMBERS
from autograd_lab.engine.core.variable import Variable, is_tensor, wrap
from autograd_lab.engine.errors.operands import only_number, type_name
from autograd_lab.engine.exact.elementless import filled, placed
from autograd_lab.engine.exact.mapping import hand_on
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import CPU, channels_last, get_default_device
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, dtype, number_dtype
from autograd_lab.engine.numbers.progressions import counted, evenly
from autograd_lab.engine.ops.ground.copying import laid_out
from autograd_lab.engine.ops.ground.dims import by_pixels, indices_of
from autograd_lab.engine.tensor.from_lists import converted, inferred, numbers, warn_of_arrays
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = [
    "arange", "as_tensor", "asarray", "empty", "empty_like", "eye", "from_numpy", "frombuffer", "full", "full_like",
    "linspace", "logspace", "ones", "ones_like", "range", "scalar_tensor", "tensor", "zeros", "zeros_like",
]  # fmt: skip

COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)
RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)
GRAD_NEEDS_FLOAT = "Only Tensors of floating point and complex dtype can require gradients"


def made(array: Array, requires_grad: bool = False, device: Any = CPU) -> Tensor:
    """A new leaf around an array of its own, told to the recorder."""
    if requires_grad and array.dtype.kind not in "fV":
        raise RuntimeError(GRAD_NEEDS_FLOAT)
    tensor = wrap(placed(array, device), bool(requires_grad))
    if listening.active is not None:
        listening.active.tensor_created(tensor, sys._getframe(1).f_code.co_name)
    return tensor


def numpy_dtype(wanted: dtype | None, otherwise: NumpyDtype | None = None) -> NumpyDtype:
    """numpy's name for the dtype wanted, or for what there is otherwise: default floats, if nothing is said."""
    return dtypes.of_python(wanted).numpy if wanted is not None else otherwise or dtypes.default


def tensor(
    data: Any = ..., *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of the numbers in `data` (a number, nested lists, or an array, which is copied).

    Python floats become float32, ints int64; arrays keep their dtype.

    >>> import autograd_lab as torch
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    if data is ...:
        raise TypeError('tensor() missing 1 required positional arguments: "data"')
    if isinstance(data, Variable):
        warnings.warn(COPY.format("torch.tensor"), UserWarning, stacklevel=users_level())
        data = data._array
    if not isinstance(data, np.ndarray | np.generic):
        warn_of_arrays(data)
        array = converted(numbers(data), numpy_dtype(dtype, inferred(data)))
    else:
        _check_strides(data)
        array = dtypes.of_one_dtype(np.array(data, None if dtype is None else numpy_dtype(dtype)))
    return made(array, requires_grad, device)


def _check_strides(array: Array) -> None:
    """Raise ValueError for an array whose elements lie in memory backwards."""
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )


def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """`data` itself if it is a tensor of that dtype; an array's memory if that will do; else a copy."""
    if isinstance(data, Variable):
        return data.to(get_default_device() if device is None else device, dtype or data.dtype)
    if isinstance(data, np.ndarray) and (dtype is None or dtype.numpy == data.dtype):
        return as_tensor(from_numpy(data), None, device)
    return tensor(data, dtype=dtype, device=device)


NOT_WRITABLE = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
    "this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it "
    "writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program."
)
_told: list[str] = []


def from_numpy(ndarray: Array) -> Tensor:
    """A tensor in the memory of an array: a write to one shows in the other."""
    array = ndarray
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    _check_strides(array)
    if not array.flags.writeable and not _told:
        _told.append(NOT_WRITABLE)
        warnings.warn(NOT_WRITABLE, UserWarning, stacklevel=users_level())
    tensor = made(dtypes.of_one_dtype(array))
    if listening.active is not None:
        listening.active.opened(tensor)
    return tensor


def frombuffer(buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A tensor in the memory of bytes, as `bytearray` and arrays have it: `count` elements from byte `offset` on."""
    kind, size = numpy_dtype(dtype), len(memoryview(buffer).cast("B"))
    if size == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1"
        )
    if count < 0 and (size - offset) % kind.itemsize:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({kind.itemsize})"
        )
    if offset + max(count, 1) * kind.itemsize > size:
        raise ValueError(
            f"requested buffer length ({count} * {kind.itemsize} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({size} bytes)"
        )
    return made(np.frombuffer(buffer, kind, count, offset), requires_grad)


def shape_of(size: tuple[Any, ...], op: str, named: Any = None) -> tuple[int, ...]:
    """The sizes that were passed one by one, as one sequence, or by name."""
    size = size if named is None else (named,)
    given = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    try:
        found = given if set(map(type, given)) == {int} else indices_of(given)
    except TypeError:
        raise TypeError(f"{op}(): argument 'size'{_no_size(size, given)}") from None
    if any(one < 0 for one in found):
        if op == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        negative = next(one for one in found if one < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative}: {list(found)}")
    return tuple(found)


def _no_size(size: tuple[Any, ...], given: Any) -> str:
    """Why these are no sizes: the first of them is no int, or a later one."""
    bad = next(at for at, one in enumerate(given) if not hasattr(one, "__index__") or (not at and one is bool(one)))
    if bad:
        told = f"type must be tuple of ints,but got {type_name(given[bad])}"
        return f' failed to unpack the object at pos {bad + 1} with error "{told}"'
    kind = type_name(given[0])
    told = f", but found element of type {kind} at pos 0" if given is size[0] else f", not {kind}"
    return f" (position 1) must be tuple of ints{told}"


def zeros(
    *sized: Any, size: Any = None, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of zeros."""
    return made(filled(np.zeros, shape_of(sized, "zeros", size), numpy_dtype(dtype), device), requires_grad, device)


def ones(
    *sized: Any, size: Any = None, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of ones."""
    return made(filled(np.ones, shape_of(sized, "ones", size), numpy_dtype(dtype), device), requires_grad, device)


def empty(
    *sized: Any, size: Any = None, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """A tensor whose elements are not set; here they are zeros."""
    array = filled(np.zeros, shape_of(sized, "empty", size), numpy_dtype(dtype), device)
    return made(by_pixels(array) if memory_format is channels_last else array, requires_grad, device)


def full(
    size: Any, fill_value: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of one number, over and over."""
    if isinstance(fill_value, Variable):
        fill_value = fill_value.item()
    if not isinstance(fill_value, bool | int | float | np.generic):
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type_name(fill_value)}")
    fill_value = dtypes.own_number(fill_value) if isinstance(fill_value, np.generic) else fill_value
    if not isinstance(size, tuple | list):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type_name(size)}")
    kind = numpy_dtype(dtype, number_dtype(fill_value))
    fill = partial(np.full, fill_value=dtypes.fitted(fill_value, kind))
    return made(filled(fill, shape_of((size,), "full"), kind, device), requires_grad, device)


def eye(
    n: int, m: int | None = None, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Ones on the diagonal, zeros elsewhere."""
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    return made(np.eye(n, m, dtype=numpy_dtype(dtype)), requires_grad, device)


def arange(
    start: Any = None, end: Any = None, step: Any = 1, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Numbers from `start` up to but not including `end`; integers if all three are."""
    if end is None:
        start, end = 0, start
    start, end, step = (_number(one, 0) for one in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not math.isfinite(start) or not math.isfinite(end):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is dtypes.bool_:
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    whole = all(isinstance(one, int | np.integer) for one in (start, end, step))
    kind = numpy_dtype(dtype, dtypes.I64 if whole else None)
    return made(counted(start, end, step, kind, whole).astype(kind), requires_grad, device)


def range(
    start: Any, end: Any, step: Any = 1, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False, layout: Any = None,
) -> Tensor:  # fmt: skip
    """Numbers from `start` up to and including `end`, as default floats: what `arange` has come in the place of."""
    start, end, step = map(_number, (start, end, step))
    for one in (start, end, step):
        only_number(one)
    warnings.warn(RANGE, UserWarning, stacklevel=users_level())
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not math.isfinite(start) or not math.isfinite(end):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is dtypes.bool_:
        raise NotImplementedError("\"range_cpu\" not implemented for 'Bool'")
    kind = numpy_dtype(dtype)
    if kind.kind in "ui":
        start, end, step = map(int, (start, end, step))
    array = start + np.arange(math.floor((end - start) / step) + 1, dtype=np.float64) * step
    return made(array.astype(kind), requires_grad, device)


def _number(given: Any, otherwise: Any = None) -> Any:
    """A number, also out of a 0-d tensor."""
    return given._array.item() if isinstance(given, Variable) else otherwise if given is None else given


def _ends(name: str, start: Any, end: Any) -> tuple[Any, Any]:
    """The two numbers between which others are to be. Raises RuntimeError for tensors that are not 0-d."""
    for what, one in (("start", start), ("end", end)):
        if isinstance(one, Variable) and one._array.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {what} with {one._array.ndim} "
                "dimension(s)."
            )
    return _number(start), _number(end)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """`steps` numbers at equal distances, from `start` to `end`, both included."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if dtype is dtypes.bool_:
        raise NotImplementedError("\"linspace_cpu\" not implemented for 'Bool'")
    start, end = _ends("linspace", start, end)
    kind = numpy_dtype(dtype)
    return made(evenly(start, end, steps, kind).astype(kind), requires_grad, device)


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """`steps` powers of `base`, whose exponents are at equal distances."""
    start, end = _ends("logspace", start, end)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    kind = numpy_dtype(dtype)
    return made((float(base) ** evenly(start, end, steps, kind)).astype(kind), requires_grad, device)


def scalar_tensor(
    s: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False, layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A 0-d tensor of one number, as a default float."""
    return made(np.array(dtypes.alone(s, kind := numpy_dtype(dtype)), kind), requires_grad, device)


ALSO_REQUIRES = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)


def asarray(
    obj: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """`obj` as a tensor, in its own memory if it has any of that dtype; with `copy`, never there.

    It is in the graph that `obj` is in, unless `requires_grad` is False.
    """
    out = as_tensor(obj, dtype, device)
    if copy:
        out = out.clone()
    if requires_grad:
        return out if out._needs else out.requires_grad_()
    if requires_grad is None and is_tensor(obj) and obj._needs:
        warnings.warn(ALSO_REQUIRES, UserWarning, stacklevel=users_level())
    return out.detach() if requires_grad is False and out._needs else out


def _like(name: str, fill: Callable[[Any, NumpyDtype], Array], doc: str) -> Callable[..., Any]:
    def like(
        input: Tensor, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
        memory_format: Any = None, layout: Any = None, pin_memory: bool = False,
    ) -> Tensor:  # fmt: skip
        if not isinstance(input, Variable):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        kind = numpy_dtype(dtype, input._array.dtype)
        array = filled(fill, input._array.shape, kind, device, input._array)
        return hand_on(made(laid_out(array, input._array, memory_format), requires_grad), input)

    like.__name__ = like.__qualname__ = name
    like.__doc__ = doc
    return like


zeros_like = _like("zeros_like", np.zeros, "Zeros in the shape and dtype of another tensor.")
ones_like = _like("ones_like", np.ones, "Ones in the shape and dtype of another tensor.")
empty_like = _like("empty_like", np.zeros, "Elements that are not set, in the shape and dtype of another tensor.")


def full_like(
    input: Tensor, fill_value: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    memory_format: Any = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """One number, over and over, in the shape and dtype of another tensor."""
    if not isinstance(fill_value, (Variable, *NUMBERS)):
        raise TypeError(f"full_like(): argument 'fill_value' (position 2) must be Number, not {type_name(fill_value)}")
    kind = numpy_dtype(dtype, input._array.dtype)
    fill = partial(np.full, fill_value=dtypes.fitted(fill_value, kind))
    array = filled(fill, input._array.shape, kind, device, input._array)
    return hand_on(made(laid_out(array, input._array, memory_format), requires_grad), input)
