"""Lengths: the norms of vectors, and distances."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import check_same_dtype, mismatch, only_tensors, refuse
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.kernels import lengths
from autograd_lab.engine.kernels.precise import precise_of_two
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, Array, NumpyDtype, dtype, promote
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import Dims, along, axes, in_rows, numpy_names
from autograd_lab.engine.ops.ground.writing import change
from autograd_lab.engine.ops.pointwise.arithmetic import not_of_truth_values

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["cdist", "dist", "pdist"]


class LinalgVectorNormBackward0(Node):
    """z = (Σ |x_i|^p)^(1/p), so dz/dx_i = sign(x_i) (|x_i| / z)^(p-1), and 0 where z is 0."""

    saves = ("self", "result")
    __slots__ = ("dim", "keepdim", "ord")
    op = "norm"
    tangent = "reduction"

    def forward(self, x: Array, p: float, dim: Dims | None, keepdim: bool, dtype: NumpyDtype | None = None) -> Array:
        self.ord, self.dim, self.keepdim = p, dim, keepdim
        return length(x if dtype is None else x.astype(dtype), p, dim, keepdim)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        if self.ord == 0:
            return None
        if self.dim is not None:
            g, z = (formulas.unsqueezed(one, self.dim, x.ndim, self.keepdim) for one in (g, z))
        return norm_slope(g, x, z, self.ord, self.dim or tuple(range(x.ndim)))


def length(x: Array, p: float, dim: Dims | None = None, keepdim: bool = False) -> Array:
    """The p-norm of all elements, or along dimensions."""
    if x.dtype.itemsize == 2:  # whose powers might be too large for it
        return length(x.astype(F32), p, dim, keepdim).astype(x.dtype)
    axis = axes(x, dim or ())
    if p == 2:
        return in_rows(np.sqrt(lengths.squares_summed(x, axis, keepdim), out=...))
    size = np.abs(x)
    if p < 0 or math.isinf(p):
        _check_some(x, p, dim)
    if math.isinf(p):
        found: Array = (np.max if p > 0 else np.min)(size, axis=axis, keepdims=keepdim)
    elif p == 0:
        found = np.count_nonzero(x, axis=axis, keepdims=keepdim)
    elif p == 1:
        found = lengths.in_turn(size, axis, keepdim)
    else:
        powers = lengths.in_turn(precise_of_two(np.power, size, x.dtype.type(p)), axis, keepdim)
        found = precise_of_two(np.power, powers, x.dtype.type(1 / p))
    return in_rows(np.asarray(found, x.dtype))


def _check_some(x: Array, p: float, dim: Dims | None) -> None:
    empty = [d for d in dim or () if not x.shape[d]] if x.ndim else []
    if not x.size and (empty or not dim):
        where = f"the dimension {empty[0]}because this dimension is empty and" if empty else "an empty tensor because"
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {p:g} norm on {where} the operation does not have an identity"
        )


def norm_slope(g: Any, x: Any, z: Any, p: float, dims: Dims) -> Any:
    """The gradient of the length z of x along dimensions, which z still has with one element each."""
    if p == 0:
        return formulas.zeros_like(x)
    if p == 1:
        return formulas.sgn(x) * g
    if p == 2:
        return g * formulas.drop_if(z == 0, x / z)
    if math.isinf(p):
        hit = abs(x) == z
        parts = (
            hit.sum(dims, True)
            if isinstance(x, Variable)
            else np.add.reduce(hit, axis=dims, keepdims=True, dtype=g.dtype)
        )
        return formulas.sgn(x) * (g / parts * hit)
    if p < 1:
        return formulas.sgn(x) * formulas.drop_if(x == 0, formulas.power(abs(x), p - 1)) * g * formulas.power(z, 1 - p)
    if p < 2:
        scale = formulas.drop_if(z == 0, g / formulas.power(z, p - 1))
        return formulas.sgn(x) * formulas.drop_if(x == 0, formulas.power(abs(x), p - 1)) * scale
    return x * formulas.power(abs(x), p - 2) * formulas.drop_if(z == 0, g / formulas.power(z, p - 1))


class RenormBackward0(Node):
    """Slices of x that are too long become as long as they may be: z = x m / |x|; the others stay as they are."""

    tangent = "transposed"
    saves = ("self",)
    __slots__ = ("dim", "maxnorm", "p")
    op = "renorm"

    def forward(self, x: Array, p: float, dim: int, maxnorm: float) -> Array:
        self.p, self.dim, self.maxnorm = p, dim, maxnorm
        size = length(x, p, tuple(at for at in range(x.ndim) if at != dim), True)
        factor = np.where(size > maxnorm, maxnorm / (size + NEARLY), 1)
        return np.asarray(x * factor, x.dtype)

    def backward(self, g: Any, x: Any) -> Any:
        dims = tuple(at for at in range(x.ndim) if at != self.dim)
        tensors = isinstance(x, Variable)
        size = vector_norm(x, self.p, dims, True) if tensors else length(x, self.p, dims, True)
        along_x = formulas.total(x * g, dims, True)
        inverse = 1 / (size + NEARLY)
        shorter = formulas.times(inverse, self.maxnorm) * (g - inverse * norm_slope(along_x, x, size, self.p, dims))
        return shorter.where(size > self.maxnorm, g) if tensors else np.where(size > self.maxnorm, shorter, g)


NEARLY = 1e-7


def check_renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> tuple[float, int, float]:
    """Raise RuntimeError for what `renorm` cannot do with; the dimension, counted from the first."""
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input._array.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input._array.ndim} dimensions")
    place = along(input, dim)[0] % input._array.ndim
    check_length("linalg.vector_norm", input)
    return p, place, maxnorm


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """The tensor, of which no slice along `dim` has a greater p-norm than `maxnorm`."""
    return apply1(RenormBackward0, input, *check_renorm(input, p, dim, maxnorm))


def renorm_(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """The tensor becomes what `renorm` makes of it."""
    return change("renorm_", RenormBackward0, input, (), *check_renorm(input, p, dim, maxnorm))


def check_length(op: str, x: Tensor) -> None:
    """Raise RuntimeError for whole numbers."""
    if x._array.dtype.kind in "bui":
        raise RuntimeError(f"{op}: Expected a floating point or complex tensor as input. Got {x.dtype.title}")


@numpy_names
def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The length of a tensor as one vector, or of the vectors along `dim`: (Σ |x_i|^ord)^(1/ord)."""
    check_length("linalg.vector_norm", x)
    if dtype is not None and not dtype.is_floating_point:
        raise RuntimeError(f"linalg.vector_norm: dtype should be floating point or complex, but got {dtype.title}")
    kind = None if dtype is None else dtype.numpy
    if kind is not None and promote(kind, x._array.dtype) != kind:
        raise RuntimeError(
            f"linalg.vector_norm: the dtype of the input ({x.dtype.title}) should be convertible without narrowing to "
            f"the specified dtype ({BY_NUMPY[kind].title})"
        )
    return apply1(LinalgVectorNormBackward0, x, ord, None if dim is None else along(x, dim), keepdim, kind)


class NormBackward1(LinalgVectorNormBackward0):
    """z = (Σ |x_i|^p)^(1/p), by the name that it has in distances and in older functions."""

    op = "norm"

    def attributes(self) -> dict[str, Any]:
        """The same settings, but the order is called p."""
        return {"dim": self.dim, "keepdim": self.keepdim, "p": self.ord}


class NormBackward0(NormBackward1):
    """The same of the whole tensor."""

    op = "norm"

    def attributes(self) -> dict[str, Any]:
        """The order, which is called p."""
        return {"p": self.ord}


def refuse_whole(x: Array) -> None:
    """Raise RuntimeError for numbers that have no length as vectors in older functions."""
    if x.dtype.kind in "bui":
        kind = BY_NUMPY[x.dtype].title
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind} instead.")


def older_norm(x: Tensor, p: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """`vector_norm`, with the node that PyTorch has in older functions. Raises RuntimeError for whole numbers."""
    refuse_whole(x._array)
    if dim is None:
        return apply1(NormBackward0, x, p, None, False)
    return apply1(NormBackward1, x, p, along(x, dim), keepdim)


class DistBackward0(Node):
    """z is the length of x - y, so dz/dx is that length's slope, and dz/dy the opposite."""

    inputs = ("self", "other")
    saves = ("other", "result", "self")
    __slots__ = ("p",)
    tangent = "reduction"

    def forward(self, x: Array, y: Array, p: float) -> Array:
        self.p = p
        apart = np.asarray(x - y)
        refuse_whole(apart)
        return length(apart, p)

    def backward(self, g: Any, y: Any, z: Any, x: Any) -> Any:
        slope = norm_slope(g, x - y, z, self.p, tuple(range((x - y).ndim)))
        needs = self.next_functions
        return None if needs[0][0] is None else slope, None if needs[1][0] is None else -slope


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The distance of two tensors, each as one vector."""
    only_tensors("dist", input, other)
    not_of_truth_values(input._array, other._array)
    return apply2(DistBackward0, input, other, p)


def _apart(way: Array, p: float, by_vectors: bool = False) -> Array:
    """The length of what is between two rows."""
    by_kernel = way.dtype is F32 and 0 < p < math.inf and way.size > 0
    return lengths.distances(way, p, by_vectors) if by_kernel else length(way, p, (-1,))


def _pull(g: Any, way: Any, size: Any, p: float) -> Any:
    """The gradient of a distance, in the order in which PyTorch multiplies here."""
    if isinstance(g, Variable) or not 2 <= p < math.inf:
        return norm_slope(g, way, size, p, (way.ndim - 1,))
    if p == 2:
        return g * way / size
    return way * formulas.power(np.abs(way), p - 2) * g / formulas.power(size, p - 1)


class CdistBackward0(Node):
    """z_ij is the distance of row i of x and row j of y, so the gradient pulls both along their difference."""

    inputs = ("x1", "x2")
    saves = ("result", "x1", "x2")
    __slots__ = ("p",)

    def forward(self, x: Array, y: Array, p: float) -> Array:
        self.p = p
        return np.asarray(_apart(x[..., :, None, :] - y[..., None, :, :], p), x.dtype)

    def backward(self, g: Any, z: Any, x: Any, y: Any) -> Any:
        if self.p not in (1, math.inf):  # those take a sign, which an infinite gradient makes NaN of
            g = formulas.drop_if(z == 0, g)
        way = _unsqueezed(x, -2) - _unsqueezed(y, -3)
        size = _unsqueezed(z, -1)
        pull = _pull(_unsqueezed(g, -1), way, size, self.p)
        if self.p not in (1, math.inf):
            pull = formulas.drop_if(size == 0, pull)  # also where the gradient is no number
        needs = self.next_functions
        return (
            None if needs[0][0] is None else _one_by_one(pull, -2),
            None if needs[1][0] is None else -_one_by_one(pull, -3),
        )


def _one_by_one(pull: Any, dim: int) -> Any:
    """The sum along a dimension, one after another."""
    if isinstance(pull, Variable) or 0 in pull.shape:
        return formulas.total(pull, (dim,), False)
    if pull.shape[-1] > 1:  # numpy goes along the last one first, and so takes one row after another
        return np.add.reduce(pull, axis=dim)
    return np.add.accumulate(pull, axis=dim).take(-1, dim)


def _unsqueezed(x: Any, dim: int) -> Any:
    return x.unsqueeze(dim) if isinstance(x, Variable) else np.expand_dims(x, dim)


MODES_OF_CDIST = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


@composed
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The distances of all rows of one matrix and all rows of another."""
    if autocast.used:
        x1, x2 = autocast.widened(x1, x2)
    for position, one in enumerate((x1, x2), 1):
        if one._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{position} got: {one._array.ndim}D")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1._array.shape[-1]} X2: {x2._array.shape[-1]}"
        )
    for position, one in enumerate((x1, x2), 1):
        if not one.is_floating_point():
            raise RuntimeError(f"cdist only supports floating-point dtypes, X{position} got: {one.dtype.title}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if compute_mode not in MODES_OF_CDIST:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    refuse(mismatch(x1._array.shape[:-2], x2._array.shape[:-2]))
    empty = not x1._array.size or not x2._array.size
    if x1._array.itemsize < 4 and not empty:
        raise NotImplementedError(f"\"cdist\" not implemented for '{x1.dtype.title}'")
    if not empty:
        check_same_dtype(x1._array.dtype, x2._array.dtype)
    return applyn(CdistBackward0, (x1, x2), float(p))


class PdistBackward0(Node):
    """z has the distances of all pairs of rows, so the gradient pulls both rows along their difference."""

    saves = ("result", "self")
    __slots__ = ("p",)

    def forward(self, x: Array, p: float) -> Array:
        self.p = p
        first, second = np.triu_indices(len(x), 1)
        return _apart(x[first] - x[second], p, True)

    def backward(self, g: Any, z: Any, x: Any) -> Any:
        first, second = np.triu_indices(len(x), 1)
        rows = [wrap(one) if isinstance(x, Variable) else one for one in (first, second)]
        way = x[rows[0]] - x[rows[1]]
        size = _unsqueezed(z, -1)
        pull = _pull(_unsqueezed(g, -1), way, size, self.p)
        if self.p not in (1, math.inf):
            pull = formulas.drop_if(size == 0, pull)  # also where the gradient is no number
        if isinstance(x, Variable):
            return formulas.zeros_like(x).index_add(0, rows[0], pull).index_add(0, rows[1], -pull)
        whole = np.zeros_like(x)
        np.subtract.at(whole, second, pull)  # in this order each row comes to its pairs
        np.add.at(whole, first, pull)
        return whole


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all pairs of rows of a matrix."""
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    if input._array.dtype.kind not in "fV":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return apply1(PdistBackward0, input, float(p))
