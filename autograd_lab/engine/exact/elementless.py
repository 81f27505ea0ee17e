"""`device="meta"`: tensors that have a shape, a dtype and strides, and no elements.

Their arrays are `Elementless`, in memory that nobody writes to, so that the machine need not have it. What is computed
from one is one: numpy sees to most of that, and `_spread` to the rest, once there are any.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact import levels
from autograd_lab.engine.numbers.device import META, placed_on
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype

NO_DATA = "Cannot copy out of meta tensor; no data!"
ELSEWHERE = "Tensor on device {} is not on the expected device {}!"
DEPENDS = "the shape of what comes of {} depends on elements, and a meta tensor has none"
LARGE = 2**28
"""From so many bytes on, Linux is told to set none aside, by the flag MAP_NORESERVE."""
UNRESERVED = 0x4000
FARTHEST = 2**42
"""For more bytes there may not even be addresses: of such an array the strides are 0."""


class Elementless(np.ndarray[Any, Any]):
    """An array that nobody writes to. Of what numpy computes element by element from one, nothing is computed."""

    alive = 0
    """How many there are: while there are some, each op is looked at."""

    def __array_finalize__(self, source: Any) -> None:
        Elementless.alive += 1
        if Elementless.alive == 1:
            levels.stand_by(_spread)

    def __del__(self) -> None:
        Elementless.alive -= 1
        if not Elementless.alive:
            levels.stand_down(_spread)

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and not key:  # of what has no dimensions this would be a number
            return self
        return np.asanyarray(super().__getitem__(key)).view(Elementless)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **named: Any) -> Any:
        if out is not None or method == "at":
            return out[0] if out is not None and len(out) == 1 else out
        if (method == "__call__" and ufunc is np.matmul) or method == "reduce":
            return _shaped(ufunc, method, inputs, named)
        pointwise = method == "__call__" and ufunc.signature is None
        given = [(_sample if pointwise else np.asarray)(x) if isinstance(x, np.ndarray) else x for x in inputs]
        with np.errstate(all="ignore"):
            made = getattr(ufunc, method)(*given, **named)
        shape = np.broadcast_shapes(*map(np.shape, inputs)) if pointwise else np.shape(made)
        several = [elementless(shape, one.dtype) for one in (made if isinstance(made, tuple) else (made,))]
        return tuple(several) if isinstance(made, tuple) else several[0]

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in DEPENDENT:
            raise NotImplementedError(DEPENDS.format(func.__name__))
        if func.__module__ == "numpy.linalg":
            return _marked(func(*map(_regular, args), **kwargs))
        return _marked(super().__array_function__(func, types, args, kwargs))

    def dot(self, other: Any, out: Any = None) -> Any:
        """The product, for vectors and matrices that of `matmul`."""
        return np.matmul(self, other) if self.ndim in (1, 2) and np.ndim(other) in (1, 2) else np.dot(self, other, out)

    def nonzero(self) -> Any:
        """Always an error: which they are depends on the elements."""
        return np.nonzero(self)


DEPENDENT = {np.nonzero, np.argwhere, np.flatnonzero, np.unique, np.array_equal, np.allclose, np.extract}


def _marked(made: Any) -> Any:
    """What numpy made, without elements where it is arrays."""
    if isinstance(made, tuple | list):
        return type(made)(map(_marked, made)) if type(made) in (tuple, list) else made
    return made.view(Elementless) if isinstance(made, np.ndarray) else made


def _shaped(ufunc: Any, method: str, inputs: Any, named: dict[str, Any]) -> Elementless:
    """What a product of matrices or a reduction makes, of which only the shape and the dtype are found."""
    if method == "reduce":
        shape = inputs[0].shape
        axis, keep = named.pop("axis", 0), named.pop("keepdims", False)
        axes = range(len(shape)) if axis is None else np.atleast_1d(axis) % max(len(shape), 1)
        kept = [(1 if at in axes else size) for at, size in enumerate(shape) if keep or at not in axes]
        one = ufunc.reduce(np.ones(1, inputs[0].dtype), **named)
        return elementless(kept, one.dtype)
    x, y = inputs
    if x.shape[-1] != y.shape[-2:][0]:
        raise ValueError(f"matmul: Input operand 1 has a mismatch in its core dimension 0: {x.shape} and {y.shape}")
    rows, columns = x.shape[-2:-1], y.shape[-1:] if y.ndim > 1 else ()
    shape = (*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), *rows, *columns)
    return elementless(shape, np.result_type(x.dtype, y.dtype))


def _regular(x: Any) -> Any:
    """In the place of matrices without elements, some of which there are inverses and roots."""
    if type(x) is not Elementless or x.ndim < 2:
        return np.asarray(x) if type(x) is Elementless else x
    return np.broadcast_to(np.eye(*x.shape[-2:], dtype=x.dtype), x.shape)


def _sample(array: Array) -> Array:
    """One element of an array's dtype."""
    return np.ones((), array.dtype)


def elementless(shape: Any, kind: NumpyDtype) -> Elementless:
    """An array of that shape and dtype without elements."""
    size = prod(shape) * kind.itemsize
    if size > FARTHEST:
        return np.broadcast_to(np.zeros((), kind), shape).view(Elementless)
    if size < LARGE or sys.platform != "linux":
        return np.zeros(shape, kind).view(Elementless)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | UNRESERVED)
    return np.frombuffer(memory, kind).reshape(shape).view(Elementless)


def filled(fill: Callable[..., Array], shape: Any, kind: NumpyDtype, device: Any, like: Array | None = None) -> Array:
    """What `fill` gives for a shape and a dtype; nobody fills what has no elements."""
    if _is_meta(device, like):
        return elementless(shape, kind)
    return fill(shape, dtype=kind)


def placed(array: Array, device: Any, like: Array | None = None) -> Array:
    """A new array on a device: where another is, if none is named, or else where new ones are to be."""
    return bare(array) if _is_meta(device, like) else array


def _is_meta(device: Any, like: Array | None) -> bool:
    return type(like) is Elementless if device is None and like is not None else placed_on(device) is META


def bare(array: Array) -> Array:
    """What is left of an array without its elements."""
    return array if type(array) is Elementless else elementless(array.shape, array.dtype)


def in_order(array: Array) -> Array:
    """An array whose elements lie side by side; nobody copies what has none."""
    return elementless(array.shape, array.dtype) if type(array) is Elementless else np.ascontiguousarray(array)


def refuse_reading(array: Array) -> None:
    """Raise NotImplementedError for an array without elements."""
    if type(array) is Elementless:
        raise NotImplementedError(NO_DATA)


def answer(array: Array, operands: Sequence[Any]) -> Array:
    """A result that has no node, without elements if an operand is."""
    return array if not any(type(getattr(one, "_array", None)) is Elementless for one in operands) else bare(array)


def beside(array: Array, *operands: Any) -> Any:
    """A tensor of help to an op: without elements if an operand is."""
    return wrap(answer(array, operands))


def beside_root(seed: Any, root: Any) -> Any:
    """What a backward pass begins with, without elements if its root has none."""
    if type(getattr(root, "_array", None)) is not Elementless:
        return seed
    return wrap(bare(seed._array)) if isinstance(seed, Variable) else bare(np.asarray(seed))


def refuse_mask(array: Array) -> None:
    """Raise NotImplementedError if an array is to tell which elements are wanted, and has none."""
    if type(array) is Elementless and array.dtype.kind == "b":
        raise NotImplementedError(DEPENDS.format("a mask"))


def check_source(target: Array, operands: Sequence[Any]) -> None:
    """Raise RuntimeError if elements are to be written that are not there."""
    if type(target) is not Elementless and any(type(one._array) is Elementless for one in operands if one is not None):
        raise RuntimeError(ELSEWHERE.format("meta", "cpu"))


def _spread(node: Node, operands: Sequence[Any], outputs: Sequence[Any], again: Callable[..., Any]) -> None:
    """Have an op's results be without elements if an operand is. Raises RuntimeError for others of many elements."""
    kinds = [type(one._array) is Elementless for one in operands if one is not None and _counts(one._array)]
    if len(set(kinds)) > 1:
        names = ["meta" if kind else "cpu" for kind in kinds]
        raise RuntimeError(ELSEWHERE.format(next(name for name in names if name != names[0]), names[0]))
    if any(type(one._array) is Elementless for one in operands if one is not None):
        for output in outputs:
            output._array = output._array.view(Elementless)


def _counts(array: Array) -> bool:
    """Whether it matters where an operand is: it does not for a number, nor for positions."""
    return bool(array.ndim and array.dtype.kind not in "bui")
