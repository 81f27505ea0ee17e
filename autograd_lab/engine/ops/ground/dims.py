"""Dimensions: checked, counted from the front, and under the names that numpy has for them."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from autograd_lab.engine.errors.operands import type_name
from autograd_lab.engine.numbers.dtypes import Array

Dims = tuple[int, ...]


NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}
NEED_DIM = {"sum", "mean", "prod", "max", "min", "median", "nanmedian"}
"""Ops of all elements, or along a `dim`, where they take a `keepdim`."""
LISTS_OF_DIMS = {"sum", "mean"}
"""Those of them to which None is all dimensions."""


F = TypeVar("F", bound=Callable[..., Any])


def index_of(given: Any) -> int:
    """What counts as an int. True and False do not, though Python takes them for 1 and 0: `x.sum(True)` is no `dim`.
    Nor do arrays and tensors of one element but those that have no dimensions, and are tensors."""
    if isinstance(given, bool | np.ndarray) or len(getattr(given, "shape", ())):
        raise TypeError("neither True and False are ints, nor arrays, nor tensors with dimensions")
    return operator.index(given)


def indices_of(given: Any) -> Dims:
    """What counts as a list of ints. Of True and False in it only one at the first place is looked at, and tensors of
    one element are ints, whatever dimensions they have."""
    if given and isinstance(given[0], bool | np.ndarray):
        raise TypeError("True and False are no ints, nor are arrays")
    return tuple(operator.index(one) for one in given)


def checked_dim(input: Any, dim: int, extra: int = 0) -> int:
    """`dim`, once it is known to count a dimension of the tensor (or one of `extra` more) from either end."""
    ndim = max(input._array.ndim + extra, 1)
    if type(dim) is not int:
        try:
            dim = index_of(dim)
        except TypeError:
            raise TypeError(f"argument 'dim' must be int, not {type(dim).__name__}") from None
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return dim


def real_dim(input: Any, dim: int) -> int:
    """`dim`, counted from the front, as texts of errors have it."""
    return dim % max(input._array.ndim, 1)


def in_our_names(named: dict[str, Any]) -> dict[str, Any]:
    """Arguments under our names. Raises TypeError for one that is given by both; who called the op says the rest."""
    found = {NUMPY_NAMES.get(name, name): value for name, value in named.items()}
    if len(found) < len(named):
        raise TypeError("an argument is given by two names")
    return found


def numpy_names(function: F) -> F:
    """Let a function be called with the names that numpy has for its arguments, too, as PyTorch's can be, and refuse
    what those refuse and numpy takes for what it is worth. Who called the op says why."""
    parameters = inspect.signature(function).parameters.values()
    flags = [(one.name, place) for place, one in enumerate(parameters) if type(one.default) is bool]
    needs_dim, dim_is_int = function.__name__ in NEED_DIM, function.__name__ in NEED_DIM - LISTS_OF_DIMS

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if named:
            if not NUMPY_NAMES.keys().isdisjoint(named):
                named = in_our_names(named)
            if type(named.get("dim")) is bool or (needs_dim and _lacks_dim(args, named)):
                raise TypeError("argument 'dim' must be int")
        if dim_is_int and (args[1] if len(args) > 1 else named.get("dim", 0)) is None:
            raise TypeError("argument 'dim' must be int, not NoneType")
        for name, place in flags:
            if type(args[place] if len(args) > place else named.get(name, False)) is not bool:
                raise TypeError(f"argument '{name}' must be bool")
        return function(*args, **named)

    return cast("F", call)


def _lacks_dim(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    return "keepdim" in named and "dim" not in named and len(args) < 2


def _no_dim(name: str, given: Any) -> TypeError:
    return TypeError(f"{name}(): argument 'dim' (position 1) must be int, not {type_name(given)}")


def entry(name: str, sizes: tuple[int, ...], dim: int) -> int:
    """The size, or the stride, of one dimension."""
    if type(dim) is bool:
        raise _no_dim(name, dim)
    try:
        inside = -len(sizes) <= dim < len(sizes)
    except (TypeError, ValueError, RuntimeError):
        raise _no_dim(name, dim) from None
    if not sizes:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if not inside:
        limits = f"[{-len(sizes)}, {len(sizes) - 1}]"
        raise IndexError(f"Dimension out of range (expected to be in range of {limits}, but got {dim})")
    return sizes[dim]


def along(input: Any, dim: Any) -> Dims:
    """`dim` as a tuple, checked; no dimensions at all stands for all of them."""
    given = (dim,) if type(dim) is int else indices_of(dim if isinstance(dim, tuple | list) else (dim,))
    dims = tuple(checked_dim(input, one) for one in given)
    ndim = max(input._array.ndim, 1)
    real = [one % ndim for one in dims]
    for one in real:
        if real.count(one) > 1:
            raise RuntimeError(f"dim {one} appears multiple times in the list of dims")
    return dims


def axes(x: Array, dims: Dims) -> Dims | None:
    """`dims` as numpy takes them: none at all stand for all."""
    return dims if dims and x.ndim else None


def by_pixels(x: Array) -> Array:
    """A copy of pictures in which the channels of a pixel lie together in memory, as `channels_last` has it."""
    if x.ndim != 4:
        raise RuntimeError("required rank 4 tensor to use channels_last format")
    return x.transpose(0, 2, 3, 1).copy("C").transpose(0, 3, 1, 2)


def lies_by_pixels(x: Array) -> bool:
    """Whether the elements of pictures lie in memory one after another, the channels of a pixel together."""
    if x.ndim != 4:
        return False
    return bool(x.transpose(0, 2, 3, 1).flags.c_contiguous)


def is_by_pixels(x: Array) -> bool:
    """Whether pictures are kept by pixels, as far as their steps in memory tell: where there is one channel, or one
    pixel, they may look as they do in their order, which they are then taken to be in."""
    if x.ndim != 4 or not x.size or not x.strides[1]:
        return False
    least = 0
    for dim in (1, 3, 2, 0):
        if x.strides[dim] < least or (dim == 0 and least == x.strides[1]):
            return False
        least = x.strides[dim] * max(x.shape[dim], 1)
    return True


def in_rows(z: Array) -> Array:
    """The elements one after another, as they are in PyTorch after reductions and the like; numpy keeps an order."""
    return z if z.flags.c_contiguous else z.copy()
