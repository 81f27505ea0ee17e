"""Ops that put elements at given places: scatter, scatter_add, scatter_reduce, index_add, index_copy, index_fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, is_tensor, wrap
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.errors.operands import only_number
from autograd_lab.engine.exact.delayed import refused
from autograd_lab.engine.numbers.dtypes import Array, fitted
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import Dims, checked_dim, real_dim
from autograd_lab.engine.ops.ground.grids import cells, check_fits, gathered, grid, placed, used
from autograd_lab.engine.ops.ground.kinds import Linear, Undifferentiable
from autograd_lab.engine.ops.ground.writing import check_places
from autograd_lab.engine.ops.index.gathering import check_kind, check_rank

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["scatter", "scatter_add", "scatter_reduce"]


class ScatterBackward0(Linear):
    """z is x with the elements of `src` at given positions along a dimension; gradients go to where each is from."""

    inputs = ("self", "src", "index")
    saves = ("index",)
    differentiable = 2
    mixes = False
    __slots__ = ("dim",)

    def forward(self, x: Array, src: Array, index: Array, dim: int) -> Array:
        self.dim = dim
        z = x.copy()
        cells(z)[grid(z, dim, index)] = used(src, index)
        return z

    def backward(self, g: Any, index: Any) -> Any:
        needs = self.next_functions
        return (
            None if needs[0][0] is None else _cleared(g, self.dim, index),
            None if needs[1][0] is None else gathered(g, self.dim, index),
        )


def _cleared(g: Any, dim: int, index: Any) -> Any:
    """The gradient with 0 at the positions."""
    if is_tensor(g):
        return scatter(g, dim, index, 0)
    index, g = np.asarray(index), np.array(g)
    cells(g)[grid(g, dim, index)] = 0
    return g


class ScatterBackward1(Node):
    """z is x with a number at given positions along a dimension, where dz/dx = 0; elsewhere it is 1."""

    inputs = ("self", "index")
    saves = ("index",)
    differentiable = 1
    mixes = False
    __slots__ = ("dim",)
    tangent = "filled"

    def forward(self, x: Array, index: Array, dim: int, value: Any) -> Array:
        self.dim = dim
        z = x.copy()
        cells(z)[grid(z, dim, index)] = fitted(value, x.dtype)
        return z

    def backward(self, g: Any, index: Any) -> Any:
        return _cleared(g, self.dim, index)


class ScatterAddBackward0(Linear):
    """z is x with the elements of `src` added at given positions: dz/dx = 1, and dz/dsrc = 1 too."""

    inputs = ("self", "src", "index")
    saves = ("index",)
    only_for = (("index", 1),)
    differentiable = 2
    mixes = False
    __slots__ = ("dim",)

    def forward(self, x: Array, src: Array, index: Array, dim: int) -> Array:
        self.dim = dim
        z = x.copy()
        np.add.at(cells(z), grid(z, dim, index), used(src, index))
        return z

    def backward(self, g: Any, index: Any) -> Any:
        return g, None if index is None else gathered(g, self.dim, index)


class ScatterReduced(Undifferentiable):
    """z is x with the elements of `src` added or multiplied in at given positions."""

    inputs = ("self", "src", "index")
    differentiable = 1
    mixes = False
    op = "scatter"

    def forward(self, x: Array, src: Array, index: Array, dim: int, ufunc: Any) -> Array:
        z = x.copy()
        ufunc.at(cells(z), grid(z, dim, index), used(src, index))
        return z


def check_scatter(input: Tensor, dim: int, index: Tensor, src: Any, written: bool = False) -> int:
    """The dimension. Raises the error of PyTorch if the index or the source does not fit, in its order."""
    dim, place = checked_dim(input, dim), real_dim(input, dim)
    at = index._array
    if at.size:
        check_kind("scatter", at)
    if isinstance(src, Variable) and src._array.dtype != input._array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if at.size:
        check_rank("self", input, at)
        _check_shapes(input._array.shape, place, at.shape, src)
    if written and isinstance(src, Variable):
        check_places(input, src, index)
    check_fits(input._array, place, at)
    return dim


def _check_shapes(x: Dims, place: int, at: Dims, src: Any) -> None:
    """Raise the error of PyTorch if there are more positions than places, but along `place`, or than elements."""
    wrong = any(d != place and n > m for d, (n, m) in enumerate(zip(at, x or (1,), strict=False)))
    text = f"Expected index {list(at)} to be no larger than self {list(x)} apart from dimension {place}"
    if isinstance(src, Variable):
        wrong = wrong or any(_size(src, d) < n for d, n in enumerate(at or (1,)))
        if max(len(at), 1) != max(src._array.ndim, 1):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        text += f" and to be no larger size than src {list(src._array.shape)}"
    if wrong:
        raise RuntimeError(text)


def _size(tensor: Variable, dim: int) -> int:
    """How many elements there are along a dimension; there is one if there are no dimensions."""
    shape = tensor._array.shape
    return shape[checked_dim(tensor, dim)] if shape else 1


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """The tensor with the elements of `src`, or one number, at the positions `index` along `dim`."""
    cls, tensors, *args = scattering(input, dim, index, value if src is None else src, reduce)
    return applyn(cls, tensors, *args)


WITH_REDUCE = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)


def scattering(input: Tensor, dim: int, index: Tensor, src: Any, reduce: Any, written: bool = False) -> Any:
    """The op that `scatter` is for these arguments, its operands and its plain arguments."""
    dim = check_scatter(input, dim, index, src, written)
    if reduce is not None:
        if isinstance(src, Variable):
            warn_once(WITH_REDUCE)
        ufunc = {"add": np.add, "multiply": np.multiply}.get(reduce)
        if ufunc is None:
            raise RuntimeError("reduce argument must be either add or multiply.")
        if not isinstance(src, Variable):
            src = wrap(np.full(index._array.shape, src, input._array.dtype))
        return ScatterReduced, (input, src, index), dim, ufunc
    if isinstance(src, Variable):
        return ScatterBackward0, (input, src, index), dim
    only_number(src)
    return ScatterBackward1, (input, index), dim, src


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The tensor with the elements of `src` added at the positions `index` along `dim`."""
    return applyn(ScatterAddBackward0, (input, src, index), check_scatter(input, dim, index, need_source(src)))


def need_source(src: Any) -> Any:
    """The source. Raises TypeError unless it is a tensor."""
    if not isinstance(src, Variable):
        raise TypeError(f"scatter_add(): argument 'src' (position 3) must be Tensor, not {type(src).__name__}")
    return src


def _one_where(condition: Any, x: Any) -> Any:
    """1 where the condition holds, `x` elsewhere."""
    return x.masked_fill(condition, 1) if isinstance(x, Variable) else np.where(condition, x.dtype.type(1), x)


REDUCTIONS = {
    "sum": (np.add, 0),
    "mean": (np.add, 0),
    "prod": (np.multiply, 1),
    "amax": (np.maximum, -np.inf),
    "amin": (np.minimum, np.inf),
}


SEVERAL_ZEROS = (
    "{0}(): Double backward is unsupported for {1} when >1 zeros in {1} are scattered to the same position in self"
)


class ScatterReduceBackward0(Node):
    """z is what is put to each position (and was there), added up, multiplied, or the greatest or least of it."""

    inputs = ("self", "src", "index")
    tangent = "transposed"
    saves = ("index", "result", "self", "src")
    differentiable = 2
    mixes = False
    __slots__ = ("dim", "include_self", "reduce")

    def forward(self, x: Array, src: Array, index: Array, dim: int, reduce: str, include_self: bool) -> Array:
        self.dim, self.reduce, self.include_self = dim, reduce, include_self
        ufunc, first = REDUCTIONS[reduce]
        src, where = used(src, index), grid(x, dim, index)
        z = x.copy()
        if not include_self:
            if x.dtype.kind in "bui" and np.isinf(first):
                low, high = (False, True) if x.dtype.kind == "b" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
                first = low if first < 0 else high
            cells(z)[where] = first
        ufunc.at(cells(z), where, src)
        if reduce == "mean":
            count = self._count(x, index)
            z = np.asarray(z / count if x.dtype.kind not in "ui" else z // count, x.dtype)
        return z

    def _count(self, x: Array, index: Array) -> Array:
        """How many elements each result is the mean of."""
        number = np.zeros(x.shape, x.dtype)
        where = grid(x, self.dim, index)
        number += 1
        if not self.include_self:
            cells(number)[where] = 0
        np.add.at(cells(number), where, x.dtype.type(1))
        return number

    def backward(self, g: Any, index: Any, z: Any, x: Any, src: Any) -> Any:
        if all(to is None for to, _ in self.next_functions):  # nobody asks
            return None, None
        shared = {"sum": self._of_sum, "mean": self._of_mean, "prod": self._of_product}.get(
            self.reduce, self._of_extreme
        )
        to_x, to_src = shared(g, index, z, x, src)
        return to_x if self.include_self else _cleared(to_x, self.dim, index), to_src

    def _of_sum(self, g: Any, index: Any, z: Any, x: Any, src: Any) -> Any:
        return g, gathered(g, self.dim, index)

    def _of_mean(self, g: Any, index: Any, z: Any, x: Any, src: Any) -> Any:
        number = self._count(*(one._array if isinstance(one, Variable) else np.asarray(one) for one in (x, index)))
        part = g / (wrap(number) if isinstance(g, Variable) else number)
        return part, gathered(part, self.dim, index)

    def _of_product(self, g: Any, index: Any, z: Any, x: Any, src: Any) -> Any:
        """Of the product of all others, without a division by 0."""
        src, zero = used(src, index), src == 0
        zero = used(zero, index)
        filled = _one_where(x == 0, x)
        count = placed(zero * formulas.one(x), self.dim, index, tuple(x.shape))
        alone = zero & (gathered(count, self.dim, index) == 1)
        others = gathered(g * self._again(x, _one_where(alone, src), index), self.dim, index)
        divided = gathered(g * z, self.dim, index) / _one_where(zero, src)
        to_src = others.where(alone, divided) if isinstance(g, Variable) else np.where(alone, others, divided)
        if isinstance(to_src, Variable) and (zero * gathered(count, self.dim, index))._array.max(initial=0) > 1:
            [to_src] = refused(SEVERAL_ZEROS.format(self.op, self.inputs[1]), [to_src])
        return g * self._again(filled, src, index) / filled, to_src

    def _again(self, x: Any, src: Any, index: Any) -> Any:
        """The same reduction of other operands."""
        if is_tensor(x):
            return scatter_reduce(x, self.dim, index, src, self.reduce, include_self=self.include_self)
        other = type(self)()
        return other.forward(np.asarray(x), src, np.asarray(index), self.dim, self.reduce, self.include_self)

    def _of_extreme(self, g: Any, index: Any, z: Any, x: Any, src: Any) -> Any:
        first, chosen = (x == z) * formulas.one(g), (src == gathered(z, self.dim, index)) * formulas.one(g)
        number = first + placed(used(chosen, index), self.dim, index, x.shape)
        part = g / number
        return part * first, gathered(part, self.dim, index) * chosen


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """What is put to each position along `dim` (and was there), made one: sum, prod, mean, amax or amin."""
    dim = check_reduce(input, dim, index, src, reduce)
    return applyn(ScatterReduceBackward0, (input, src, index), dim, reduce, include_self)


def check_reduce(input: Tensor, dim: int, index: Tensor, src: Any, reduce: str, written: bool = False) -> int:
    """The dimension. Raises RuntimeError for a reduction that is none."""
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return check_scatter(input, dim, index, src, written)
