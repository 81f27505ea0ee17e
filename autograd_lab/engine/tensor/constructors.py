"""What the classes make of their arguments: `Tensor(2, 3)`, `Tensor([2, 3])`, `LongTensor(...)`, `x.new(...)`."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, NumpyDtype, Size, of_one_dtype
from autograd_lab.engine.numbers.storages import TypedStorage
from autograd_lab.engine.ops.shape.stacking import aliased
from autograd_lab.engine.tensor.from_lists import warn_of_arrays


def constructed(data: tuple[Any, ...], kind: NumpyDtype, *, any_kind: bool = False) -> Any:
    """Whole numbers, or a `Size`, are a shape, all zeros; anything else is elements.

    Another tensor, its storage, or an array of that dtype is not copied: both are the same memory.
    """
    one: Any = data[0] if len(data) == 1 else None
    if data and all(isinstance(size, int | np.integer) and not isinstance(size, bool) for size in data):
        return wrap(np.zeros(data, kind))
    if isinstance(one, Size):
        return wrap(np.zeros(one, kind))
    if isinstance(one, Variable):
        if one._array.dtype != kind and not any_kind:
            raise TypeError(f"expected {_named(kind)} (got {_named(one._array.dtype)})")
        return aliased(cast(Any, one))
    if isinstance(one, TypedStorage):
        if one._array.dtype != kind:
            raise RuntimeError(
                f"Expected a Storage of type {_named(kind)} or an UntypedStorage, but got type "
                f"{_named(one._array.dtype)} for argument 1 'storage'"
            )
        return wrap(one._array)
    return wrap(_elements(data, kind))


def _elements(data: tuple[Any, ...], kind: NumpyDtype) -> Any:
    """An array of the elements, which is what was given where its dtype is the right one."""
    if isinstance(data[0] if data else (), str):
        raise TypeError(f"new(): invalid data type '{type(data[0]).__name__}'")
    if data and not hasattr(data[0], "__len__"):
        raise TypeError(f"new(): data must be a sequence (got {_kind(data[0])})")
    warn_of_arrays(data[0] if data else ())
    return of_one_dtype(np.asarray(data[0] if data else (), kind))


def _kind(thing: Any) -> str:
    """The name of a thing's class, as PyTorch gives it."""
    cls = type(thing)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


def _named(kind: NumpyDtype) -> str:
    return BY_NUMPY[kind].title
