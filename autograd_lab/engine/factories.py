"""Functions that make new tensors: from data, from shapes, and at random."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import recorder
from autograd_lab.engine import dtypes
from autograd_lab.engine.device import device as Device
from autograd_lab.engine.dtypes import Array, NumpyDtype, dtype, number_dtype, promote
from autograd_lab.engine.variable import Variable, wrap

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor

GRAD_NEEDS_FLOAT = "Only Tensors of floating point and complex dtype can require gradients"

_random = np.random.default_rng()


def made(array: Array, requires_grad: bool = False) -> Tensor:
    """A new leaf around an array of its own, told to the recorder."""
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError(GRAD_NEEDS_FLOAT)
    tensor = wrap(array, bool(requires_grad))
    if recorder.active is not None:
        recorder.active.tensor_created(tensor)
    return tensor


def _numpy_dtype(wanted: dtype | None, otherwise: NumpyDtype | None = None) -> NumpyDtype:
    return wanted.numpy if wanted is not None else otherwise or dtypes.default


def on_cpu(device: Any) -> None:
    """Raise RuntimeError unless `device` is the CPU, the only one there is here."""
    if device is not None:
        Device(device)


def tensor(data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of the numbers in `data` (a number, nested lists, or an array, which is copied).

    Python floats become float32, ints int64; arrays keep their dtype.

    >>> import autograd_lab as torch
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
    """
    on_cpu(device)
    if isinstance(data, Variable):
        data = data._array
    if not isinstance(data, np.ndarray | np.generic):
        array = np.array(data, _numpy_dtype(dtype, _inferred(data)))
    else:
        array = np.array(data, None if dtype is None else dtype.numpy)
        dtypes.dtype_of(array)
    return made(array, requires_grad)


def _inferred(data: Any) -> NumpyDtype | None:
    """The dtype of nested sequences of numbers, once they are known to be rectangular; None if they are empty."""
    shape, level = [], data
    while isinstance(level, Sequence) and not isinstance(level, str):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
    return _scan(data, shape, 0)


def _scan(data: Any, shape: list[int], depth: int) -> NumpyDtype | None:
    found: NumpyDtype | None = None
    if isinstance(data, np.ndarray | np.generic):
        return data.dtype
    if isinstance(data, bool | int | float):
        return number_dtype(data)
    if isinstance(data, Variable):
        found = data._array.dtype
        return found
    if isinstance(data, str):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not isinstance(data, Sequence):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    for item in data:
        inner = isinstance(item, Sequence) and not isinstance(item, str)
        if inner and depth + 1 < len(shape) and len(item) != shape[depth + 1]:
            raise ValueError(f"expected sequence of length {shape[depth + 1]} at dim {depth + 1} (got {len(item)})")
        if not inner and depth + 1 < len(shape):
            raise TypeError(f"expected a sequence at dim {depth + 1}, but got {type(item).__name__}")
        found = promote(found, _scan(item, shape, depth + 1))
    return found


def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """`data` itself if it is a tensor of that dtype; an array's memory if that will do; else a copy."""
    if isinstance(data, Variable):
        return data.to(dtype or data.dtype)  # type: ignore[no-any-return]
    if isinstance(data, np.ndarray) and (dtype is None or dtype.numpy == data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(array: Array) -> Tensor:
    """A tensor in the memory of an array: a write to one shows in the other."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.dtype_of(array)
    return made(array)


def _shape(size: tuple[Any, ...], op: str) -> tuple[int, ...]:
    given = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    found = []
    for one in given:
        try:
            found.append(operator.index(one))
        except TypeError:
            kind = type(one).__name__
            raise TypeError(f"{op}(): argument 'size' (position 1) must be tuple of ints, not {kind}") from None
    if any(one < 0 for one in found):
        raise RuntimeError(f"{op}: Dimension size must be non-negative.")
    return tuple(found)


def zeros(*size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros."""
    on_cpu(device)
    return made(np.zeros(_shape(size, "zeros"), _numpy_dtype(dtype)), requires_grad)


def ones(*size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones."""
    on_cpu(device)
    return made(np.ones(_shape(size, "ones"), _numpy_dtype(dtype)), requires_grad)


def empty(*size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose elements are not set; here they are zeros."""
    on_cpu(device)
    return made(np.zeros(_shape(size, "empty"), _numpy_dtype(dtype)), requires_grad)


def full(
    size: Any, fill_value: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of one number, over and over."""
    on_cpu(device)
    if isinstance(fill_value, Variable):
        fill_value = fill_value._array.item()
    if not isinstance(fill_value, bool | int | float | np.number):
        raise TypeError(f"full(): argument 'fill_value' (position 2) must be Number, not {type(fill_value).__name__}")
    array = np.full(_shape((size,), "full"), fill_value, _numpy_dtype(dtype, number_dtype(fill_value)))
    return made(array, requires_grad)


def eye(n: int, m: int | None = None, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    return made(np.eye(n, m, dtype=_numpy_dtype(dtype)), requires_grad)


def arange(
    start: float, end: float | None = None, step: float = 1, *, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Numbers from `start` up to but not including `end`; integers if all three are."""
    on_cpu(device)
    if end is None:
        start, end = 0, start
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(one, int | np.integer) for one in (start, end, step))
    count = math.ceil((end - start) / step)
    steps: Array = np.arange(count, dtype=np.int64 if whole else np.float64)
    array = start + steps * step
    return made(array.astype(_numpy_dtype(dtype, dtypes.I64 if whole else None)), requires_grad)


def linspace(
    start: float, end: float, steps: int, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers at equal distances, from `start` to `end`, both included."""
    on_cpu(device)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return made(np.linspace(start, end, steps).astype(_numpy_dtype(dtype)), requires_grad)


def manual_seed(seed: int) -> None:
    """Make the random numbers that follow the same in every run. They are not those that PyTorch draws."""
    global _random
    _random = np.random.default_rng(abs(int(seed)))


def generator() -> np.random.Generator:
    """Where random numbers come from now."""
    return _random


def rand(*size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Random numbers, equally likely everywhere between 0 and 1."""
    on_cpu(device)
    return made(_random.random(_shape(size, "rand")).astype(_numpy_dtype(dtype)), requires_grad)


def randn(*size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Random numbers, normally distributed with mean 0 and variance 1."""
    on_cpu(device)
    array = np.asarray(_random.standard_normal(_shape(size, "randn")))
    return made(array.astype(_numpy_dtype(dtype)), requires_grad)


def randint(low: int, high: Any, size: Any = None, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """Random integers from `low` (0 if only `high` is given) up to but not including `high`."""
    on_cpu(device)
    if size is None:
        low, high, size = 0, low, high
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return made(
        np.asarray(_random.integers(low, high, _shape((size,), "randint"))).astype(_numpy_dtype(dtype, dtypes.I64))
    )


def randperm(n: int) -> Tensor:
    """The integers below `n` in random order."""
    return made(_random.permutation(n))


def _like(name: str, fill: Callable[[Any, NumpyDtype], Array], doc: str) -> Callable[..., Any]:
    def like(input: Tensor, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        if not isinstance(input, Variable):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return made(fill(input._array.shape, _numpy_dtype(dtype, input._array.dtype)), requires_grad)

    like.__name__ = like.__qualname__ = name
    like.__doc__ = doc
    return like


zeros_like = _like("zeros_like", np.zeros, "Zeros in the shape and dtype of another tensor.")
ones_like = _like("ones_like", np.ones, "Ones in the shape and dtype of another tensor.")
empty_like = _like("empty_like", np.zeros, "Elements that are not set, in the shape and dtype of another tensor.")
rand_like = _like(
    "rand_like", lambda shape, kind: np.asarray(_random.random(shape)).astype(kind), "As `rand`, in another's shape."
)
randn_like = _like(
    "randn_like",
    lambda shape, kind: np.asarray(_random.standard_normal(shape)).astype(kind),
    "As `randn`, in another's shape.",
)


def full_like(input: Tensor, fill_value: Any, *, dtype: dtype | None = None, requires_grad: bool = False) -> Tensor:
    """One number, over and over, in the shape and dtype of another tensor."""
    return made(np.full(input._array.shape, fill_value, _numpy_dtype(dtype, input._array.dtype)), requires_grad)
