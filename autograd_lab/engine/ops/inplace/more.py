"""The other ops that write to a tensor: `lerp_`, `scatter_`, `t_`, ... beside those of inplace.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import NUMBERS
from autograd_lab.engine.dtypes import Array
from autograd_lab.engine.modes import enabled
from autograd_lab.engine.node import Node, NodeType
from autograd_lab.engine.ops.index import indexing, scattering, slices
from autograd_lab.engine.ops.inplace.writing import change, unary
from autograd_lab.engine.ops.matrix import contraction, products
from autograd_lab.engine.ops.pointwise import (
    arithmetic,
    blending,
    bounds,
    division,
    elementary,
    rounding,
    special,
    trigonometry,
)
from autograd_lab.engine.ops.pointwise.choice import ClampMaxBackward0, ClampMinBackward0
from autograd_lab.engine.ops.reduction import cumulative
from autograd_lab.engine.ops.shape import arranging, views
from autograd_lab.engine.variable import Variable

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor

acos_ = unary("acos_", trigonometry.AcosBackward0)
acosh_ = unary("acosh_", trigonometry.AcoshBackward0)
asin_ = unary("asin_", trigonometry.AsinBackward0)
asinh_ = unary("asinh_", trigonometry.AsinhBackward0)
atan_ = unary("atan_", trigonometry.AtanBackward0)
atanh_ = unary("atanh_", trigonometry.AtanhBackward0)
cosh_ = unary("cosh_", trigonometry.CoshBackward0)
deg2rad_ = unary("deg2rad_", trigonometry.Deg2RadBackward0)
digamma_ = unary("digamma_", special.DigammaBackward0)
erf_ = unary("erf_", special.ErfBackward0)
erfc_ = unary("erfc_", special.ErfcBackward0)
erfinv_ = unary("erfinv_", special.ErfinvBackward0)
exp2_ = unary("exp2_", special.Exp2Backward0)
expm1_ = unary("expm1_", elementary.Expm1Backward0)
frac_ = unary("frac_", rounding.FracBackward0)
lgamma_ = unary("lgamma_", special.LgammaBackward0)
log10_ = unary("log10_", elementary.Log10Backward0)
log1p_ = unary("log1p_", elementary.Log1PBackward0)
log2_ = unary("log2_", elementary.Log2Backward0)
rad2deg_ = unary("rad2deg_", trigonometry.Rad2DegBackward0)
sgn_ = unary("sgn_", rounding.SgnBackward0)
sign_ = unary("sign_", rounding.SignBackward0)
sinc_ = unary("sinc_", trigonometry.SincBackward0)
sinh_ = unary("sinh_", trigonometry.SinhBackward0)
tan_ = unary("tan_", trigonometry.TanBackward0)
trunc_ = unary("trunc_", rounding.TruncBackward0)


def _binary(name: str, cls: type[Node], with_number: type[Node] | None = None) -> Callable[[Tensor, Any], Tensor]:
    """The function that writes an op of two operands over the first; numbers may have an op of their own."""

    def write(input: Tensor, other: Any) -> Tensor:
        if with_number is not None and isinstance(other, NUMBERS):
            return change(name, with_number, input, (), other)
        return change(name, cls, input, (other,))

    write.__name__ = write.__qualname__ = name
    write.__doc__ = cls.__doc__
    return write


atan2_ = _binary("atan2_", trigonometry.Atan2Backward0)
clamp_max_ = _binary("clamp_max_", bounds.ClampMaxBackward1, ClampMaxBackward0)
clamp_min_ = _binary("clamp_min_", bounds.ClampMinBackward1, ClampMinBackward0)
copysign_ = _binary("copysign_", blending.CopysignBackward0, blending.CopysignBackward1)
floor_divide_ = _binary("floor_divide_", division.FloorDivide, division.FloorDivideByNumber)
fmod_ = _binary("fmod_", division.FmodBackward1, division.FmodBackward0)
hypot_ = _binary("hypot_", trigonometry.HypotBackward0)
remainder_ = _binary("remainder_", division.RemainderBackward1, division.RemainderBackward0)
true_divide_ = _binary("true_divide_", arithmetic.DivBackward0)
xlogy_ = _binary("xlogy_", special.XlogyBackward0, special.XlogyBackward2)


class Answered(Node):
    """A question answered in the dtype of the tensor itself; nothing flows back."""

    inputs = ("self", "other")
    op = "answered"
    _ufunc: Any = None

    def forward(self, x: Array, y: Array) -> Array:
        return np.asarray(type(self)._ufunc(x, y))

    def backward(self, g: Any) -> Any:
        return tuple(None if edge[0] is None else either.zeros_like(g) for edge in self.next_functions)


def _question(op: str, ufunc: Any) -> Callable[[Tensor, Any], Tensor]:
    """The function that writes the answers of a ufunc over its first operand."""
    body = {"_ufunc": ufunc, "op": op}
    of_tensor = NodeType(f"{op.title()}Backward1", (Answered,), body.copy())
    of_number = NodeType(f"{op.title()}Backward0", (Answered,), {**body, "inputs": ("self",), "takes_number": True})
    return _binary(f"{op}_", cast("type[Node]", of_tensor), cast("type[Node]", of_number))


eq_ = _question("eq", np.equal)
ne_ = _question("ne", np.not_equal)
lt_ = _question("lt", np.less)
le_ = _question("le", np.less_equal)
gt_ = _question("gt", np.greater)
ge_ = _question("ge", np.greater_equal)


def _of_integers(op: str, ufunc: Any) -> Callable[[Tensor, Any], Tensor]:
    """The function that writes what a ufunc of integers or truth values gives; it never has a gradient."""

    class Written(Node):
        inputs = ("self", "other")

        def forward(self, x: Array, y: Array) -> Array:
            return np.asarray(ufunc(x, y))

    Written.op = op
    return _binary(f"{op}_", Written)


bitwise_and_ = _of_integers("bitwise_and", np.bitwise_and)
bitwise_or_ = _of_integers("bitwise_or", np.bitwise_or)
bitwise_xor_ = _of_integers("bitwise_xor", np.bitwise_xor)
bitwise_left_shift_ = _of_integers("bitwise_left_shift", np.left_shift)
bitwise_right_shift_ = _of_integers("bitwise_right_shift", np.right_shift)


def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """x becomes ln(x / (1 - x))."""
    return change("logit_", special.LogitBackward0, input, (), eps)


def nan_to_num_(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities become numbers."""
    return change("nan_to_num_", blending.NanToNumBackward0, input, (), nan, posinf, neginf)


def lerp_(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """x goes so much of the way to `end`."""
    blending.check_lerp(input, end, weight)
    if isinstance(weight, Variable):
        return change("lerp_", blending.LerpBackward1, input, (end, weight))
    return change("lerp_", blending.LerpBackward0, input, (end,), weight)


def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """x becomes x + value a b."""
    return change("addcmul_", blending.AddcmulBackward0, input, (tensor1, tensor2), value)


def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """x becomes x + value a / b."""
    return change("addcdiv_", blending.AddcdivBackward0, input, (tensor1, tensor2), value)


def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha mat1 mat2."""
    return change("addmm_", products.AddmmBackward0, input, (mat1, mat2), beta, alpha)


def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha mat vec."""
    contraction.check_vector(input, mat, vec)
    return change("addmv_", contraction.AddmvBackward0, input, (mat, vec), beta, alpha)


def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha vec1 vec2ᵀ."""
    return change("addr_", contraction.AddrBackward0, input, (vec1, vec2), beta, alpha)


def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha batch1 batch2, for each pair of matrices."""
    contraction.check_batches(input, batch1, batch2)
    return change("baddbmm_", contraction.BaddbmmBackward0, input, (batch1, batch2), beta, alpha)


def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """x becomes beta x + alpha times the sum of the products of the matrices of two batches."""
    contraction.check_batches(input, batch1, batch2)
    return change("addbmm_", contraction.AddbmmBackward0, input, (batch1, batch2), beta, alpha)


def cumsum_(input: Tensor, dim: int) -> Tensor:
    """The elements become running totals along `dim`."""
    return change("cumsum_", cumulative.CumsumBackward0, input, (), views.checked_dim(input, dim))


def cumprod_(input: Tensor, dim: int) -> Tensor:
    """The elements become running products along `dim`."""
    return change("cumprod_", cumulative.CumprodBackward0, input, (), views.checked_dim(input, dim))


def tril_(input: Tensor, diagonal: int = 0) -> Tensor:
    """The elements above a diagonal become 0."""
    return change("tril_", arranging.TrilBackward0, input, (), diagonal)


def triu_(input: Tensor, diagonal: int = 0) -> Tensor:
    """The elements below a diagonal become 0."""
    return change("triu_", arranging.TriuBackward0, input, (), diagonal)


def fill_diagonal_(input: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """The elements of the main diagonal become one number."""
    if input._array.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    step = sum(input.stride())
    part = views.as_strided(input, (min(input._array.shape),), (step,), 0)
    indexing.fill_(part, fill_value)
    return input


def scatter_(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """The elements of `src`, or one number, are put to the positions `index` along `dim`."""
    cls, (_, *others), *args = scattering.scattering(input, dim, index, value if src is None else src, reduce)
    return change("scatter_", cls, input, others, *args)


def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The elements of `src` are added at the positions `index` along `dim`."""
    dim = scattering.check_scatter(input, dim, index, scattering.need_source(src))
    return change("scatter_add_", scattering.ScatterAddBackward0, input, (src, index), dim)


def scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """What is put to each position along `dim` (and was there) becomes one: sum, prod, mean, amax or amin."""
    dim = scattering.check_reduce(input, dim, index, src, reduce)
    cls = scattering.ScatterReduceBackward0
    return change("scatter_reduce_", cls, input, (src, index), dim, reduce, include_self)


def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """The slices of `source`, times `alpha`, are added at the positions `index` along `dim`."""
    dim = slices.check_add(input, dim, index, source)
    return change("index_add_", slices.IndexAddBackward0, input, (source, index), dim, alpha)


def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The slices at the positions `index` along `dim` become those of `source`."""
    dim = slices.check_copy(input, dim, index, source)
    return change("index_copy_", slices.IndexCopyBackward0, input, (source, index), dim)


def index_fill_(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The elements of the slices at the positions `index` along `dim` become one value."""
    cls, (_, *others), *args = slices.filling(input, dim, index, value)
    return change("index_fill_", cls, input, others, *args)


def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """The elements of `source` are put to positions of the flattened tensor, or added there."""
    slices.check_put(input, index, source)
    return change("put_", slices.PutBackward0, input, (source, index), accumulate)


def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of `source`, one after another, are put where the mask holds."""
    slices.check_masked(input, mask, source)
    return change("masked_scatter_", slices.MaskedScatterBackward0, input, (source, mask))


def _unrecorded(op: str, ufunc: Any) -> Callable[..., Tensor]:
    """The function that writes truth values over its first operand; PyTorch does not record it either."""
    written = _of_integers(op, ufunc)

    def write(input: Tensor, other: Tensor) -> Tensor:
        before = enabled.set(False)
        try:
            return written(input, other)
        finally:
            enabled.reset(before)

    write.__name__ = write.__qualname__ = f"{op}_"
    return write


def _both(ufunc: Any) -> Any:
    return lambda x, y: ufunc(x, y).astype(x.dtype)


logical_and_ = _unrecorded("logical_and", _both(np.logical_and))
logical_or_ = _unrecorded("logical_or", _both(np.logical_or))
logical_xor_ = _unrecorded("logical_xor", _both(np.logical_xor))


def logical_not_(input: Tensor) -> Tensor:
    """Each element becomes 1 if it is 0, else 0."""
    return _unrecorded("logical_not", _both(np.equal))(input, 0)


def bitwise_not_(input: Tensor) -> Tensor:
    """Truth values become their opposites; of integers, each bit does."""
    return _of_integers("bitwise_not", lambda x, _: np.invert(x))(input, False)
