"""`Tensor`: everything that a user can do with one. What it does is in ops/, and listed here."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograd_lab.engine import dtypes, factories, variable
from autograd_lab.engine.apply import NUMBERS, apply1, apply2, apply_view
from autograd_lab.engine.dtypes import BY_NUMPY
from autograd_lab.engine.ops import (
    activation,
    arithmetic,
    arranging,
    choice,
    comparison,
    copying,
    cumulative,
    division,
    extremes,
    gathering,
    indexed,
    indexing,
    inplace,
    joining,
    logic,
    norms,
    pointwise,
    products,
    reduction,
    rounding,
    scattering,
    shapes,
    sorting,
    statistics,
    trigonometry,
)
from autograd_lab.engine.ops.arithmetic import (
    AddBackward0,
    AddBackward1,
    DivBackward0,
    DivBackward1,
    MulBackward0,
    MulBackward1,
    SubBackward0,
)
from autograd_lab.engine.state import TensorState
from autograd_lab.engine.variable import Variable, wrap

IDENTITY = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."
ONLY_MATRICES = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)


class Tensor(TensorState):
    """An array of numbers that remembers how it was computed, so that gradients can be taken."""

    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __new__(cls, *data: Any) -> Tensor:
        """`Tensor(2, 3)` has that shape, all zeros; `Tensor([2, 3])` those elements, as default floats."""
        if data and builtins.all(isinstance(size, builtins.int) for size in data):
            return wrap(np.zeros(data, dtypes.default))
        return wrap(np.array(data[0] if data else (), dtypes.default))

    # --- arithmetic ------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Tensor:
        return apply2(AddBackward0, self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tensor:
        return apply2(SubBackward0, self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return arithmetic.rsub(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def __mul__(self, other: Any) -> Tensor:
        return apply2(MulBackward0, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        return apply2(DivBackward0, self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return arithmetic.rdiv(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def __pow__(self, other: Any) -> Tensor:
        return arithmetic.pow(self, other) if isinstance(other, (Variable, *NUMBERS)) else NotImplemented

    def __rpow__(self, other: Any) -> Tensor:
        return arithmetic.pow(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def __mod__(self, other: Any) -> Tensor:
        return division.remainder(self, other) if isinstance(other, (Variable, *NUMBERS)) else NotImplemented

    def __rmod__(self, other: Any) -> Tensor:
        return division.remainder(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def __floordiv__(self, other: Any) -> Tensor:
        return division.floor_divide(self, other) if isinstance(other, (Variable, *NUMBERS)) else NotImplemented

    def __rfloordiv__(self, other: Any) -> Tensor:
        return division.floor_divide(other, self) if isinstance(other, NUMBERS) else NotImplemented

    def __matmul__(self, other: Any) -> Tensor:
        return products.matmul(self, other) if isinstance(other, Variable) else NotImplemented  # type: ignore[arg-type]

    def __neg__(self) -> Tensor:
        return pointwise.neg(self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return pointwise.abs(self)

    add = arithmetic.add
    sub = subtract = arithmetic.sub
    mul = multiply = arithmetic.mul
    div = divide = true_divide = division.div
    pow = arithmetic.pow
    square = arithmetic.square
    remainder = division.remainder

    def _scaled(self, factor: Any) -> Tensor:
        return apply1(MulBackward1, self, factor)

    def _raised(self, number: Any) -> Tensor:
        return apply1(AddBackward1, self, number)

    def _totals(self, dims: tuple[builtins.int, ...]) -> Tensor:
        return apply1(reduction.SumBackward1, self, dims, True)

    def _shaped(self, shape: tuple[builtins.int, ...]) -> Tensor:
        return apply_view(shapes.ViewBackward0, self, shape)

    def _divided(self, number: Any) -> Tensor:
        return apply1(DivBackward1, self, number)

    # --- element by element ----------------------------------------------------------------------------------------

    neg = negative = pointwise.neg
    abs = absolute = pointwise.abs
    sgn = rounding.sgn
    sign = rounding.sign
    floor = rounding.floor
    ceil = rounding.ceil
    round = rounding.round
    exp = pointwise.exp
    expm1 = pointwise.expm1
    log = pointwise.log
    log2 = pointwise.log2
    log10 = pointwise.log10
    log1p = pointwise.log1p
    sqrt = pointwise.sqrt
    rsqrt = pointwise.rsqrt
    reciprocal = pointwise.reciprocal
    sin = trigonometry.sin
    cos = trigonometry.cos
    tan = trigonometry.tan
    atan = arctan = trigonometry.atan
    sinh = trigonometry.sinh
    cosh = trigonometry.cosh
    tanh = activation.tanh
    sigmoid = activation.sigmoid
    relu = activation.relu
    softmax = activation.softmax
    log_softmax = activation.log_softmax

    # --- comparisons -----------------------------------------------------------------------------------------------

    __eq__ = comparison.eq  # type: ignore[assignment]
    __ne__ = comparison.ne  # type: ignore[assignment]
    __lt__ = comparison.lt
    __le__ = comparison.le
    __gt__ = comparison.gt
    __ge__ = comparison.ge
    __and__ = __rand__ = logic.bitwise_and
    __or__ = __ror__ = logic.bitwise_or
    __xor__ = __rxor__ = logic.bitwise_xor
    __invert__ = logic.bitwise_not
    eq = comparison.eq
    ne = not_equal = comparison.ne
    lt = less = comparison.lt
    le = less_equal = comparison.le
    gt = greater = comparison.gt
    ge = greater_equal = comparison.ge
    logical_not = logic.logical_not
    isnan = comparison.isnan
    isinf = comparison.isinf
    isfinite = comparison.isfinite
    all = logic.all
    any = logic.any
    argmax = sorting.argmax
    argmin = sorting.argmin
    equal = comparison.equal
    isclose = comparison.isclose
    allclose = comparison.allclose

    # --- choices ---------------------------------------------------------------------------------------------------

    maximum = choice.maximum
    minimum = choice.minimum
    clamp = clip = choice.clamp
    clamp_min = choice.clamp_min
    clamp_max = choice.clamp_max
    masked_fill = choice.masked_fill

    def where(self, condition: Tensor, other: Any) -> Tensor:
        """The tensor's own elements where the condition holds, of `other` elsewhere."""
        return choice.where(condition, self, other)

    # --- reductions and products -----------------------------------------------------------------------------------

    sum = reduction.sum
    mean = reduction.mean
    max = extremes.max
    min = extremes.min
    amax = extremes.amax
    amin = extremes.amin
    prod = statistics.prod
    var = statistics.var
    std = statistics.std
    norm = norms.norm
    logsumexp = statistics.logsumexp
    cumsum = cumulative.cumsum
    trace = products.trace
    matmul = products.matmul
    mm = products.mm
    mv = products.mv
    dot = products.dot
    bmm = products.bmm
    addmm = products.addmm
    outer = products.outer

    # --- shapes and parts ------------------------------------------------------------------------------------------

    view = shapes.view
    view_as = shapes.view_as
    reshape = shapes.reshape
    reshape_as = shapes.reshape_as
    flatten = shapes.flatten
    ravel = shapes.ravel
    t = shapes.t
    transpose = swapaxes = swapdims = shapes.transpose
    permute = shapes.permute
    expand = broadcast_to = shapes.expand
    expand_as = shapes.expand_as
    unsqueeze = shapes.unsqueeze
    squeeze = shapes.squeeze
    contiguous = shapes.contiguous
    as_strided = shapes.as_strided
    clone = copying.clone
    __deepcopy__ = copying.deepcopied
    select = indexing.select
    narrow = indexing.narrow
    gather = gathering.gather
    scatter = scattering.scatter
    scatter_add = scattering.scatter_add
    index_add = indexed.index_add
    index_select = gathering.index_select
    masked_scatter = indexed.masked_scatter
    put = indexed.put
    take = gathering.take
    diagonal = arranging.diagonal
    unbind = joining.unbind
    split = joining.split
    chunk = joining.chunk
    repeat = arranging.repeat
    flip = arranging.flip
    tril = arranging.tril
    triu = arranging.triu
    __getitem__ = indexing.get
    __setitem__ = indexing.put

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(joining.unbind(self))

    def __contains__(self, element: Any) -> builtins.bool:
        return builtins.bool((self == element).any())

    @property
    def T(self) -> Tensor:
        """The dimensions in reverse."""
        if self._array.ndim != 2:
            warnings.warn(ONLY_MATRICES if self._array.ndim else IDENTITY.format("T"), UserWarning, stacklevel=2)
        return shapes.permute(self, tuple(range(self._array.ndim))[::-1])

    @property
    def mT(self) -> Tensor:
        """The last two dimensions exchanged."""
        if self._array.ndim == 1:
            raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
        if not self._array.ndim:
            warnings.warn(IDENTITY.format("mT"), UserWarning, stacklevel=2)
            return self
        return shapes.transpose(self, -2, -1)

    def _scattered(self, dim: builtins.int, positions: Tensor, shape: tuple[builtins.int, ...]) -> Tensor:
        return gathering.scattered(self, dim, positions, shape)

    # --- dtypes and new tensors ------------------------------------------------------------------------------------

    _to = copying.to_dtype

    def to(self, *args: Any, dtype: dtypes.dtype | None = None, device: Any = None) -> Tensor:
        """The tensor in another dtype (or another's dtype); this engine knows one device, the CPU."""
        for arg in args:
            if isinstance(arg, Variable):
                dtype = BY_NUMPY[arg._array.dtype]
            elif isinstance(arg, dtypes.dtype):
                dtype = arg
            else:
                device = arg
        factories.on_cpu(device)
        return self if dtype is None else copying.to_dtype(self, dtype.numpy)

    def type_as(self, other: Tensor) -> Tensor:
        """The tensor in the dtype of `other`."""
        return copying.to_dtype(self, other._array.dtype)

    def float(self) -> Tensor:
        """The tensor in float32."""
        return copying.to_dtype(self, dtypes.F32)

    def double(self) -> Tensor:
        """The tensor in float64."""
        return copying.to_dtype(self, dtypes.F64)

    def half(self) -> Tensor:
        """The tensor in float16."""
        return copying.to_dtype(self, dtypes.float16.numpy)

    def int(self) -> Tensor:
        """The tensor in int32."""
        return copying.to_dtype(self, dtypes.int32.numpy)

    def long(self) -> Tensor:
        """The tensor in int64."""
        return copying.to_dtype(self, dtypes.I64)

    def bool(self) -> Tensor:
        """True where the tensor is not zero."""
        return copying.to_dtype(self, dtypes.BOOL)

    def cpu(self) -> Tensor:
        """The tensor itself: it is on the CPU."""
        return self

    def new_zeros(self, *size: Any, requires_grad: builtins.bool = False) -> Tensor:
        """Zeros of the tensor's dtype."""
        return factories.zeros(*size, dtype=self.dtype, requires_grad=requires_grad)

    def new_ones(self, *size: Any, requires_grad: builtins.bool = False) -> Tensor:
        """Ones of the tensor's dtype."""
        return factories.ones(*size, dtype=self.dtype, requires_grad=requires_grad)

    # --- in place --------------------------------------------------------------------------------------------------

    def __iadd__(self, other: Any) -> Tensor:
        return inplace.add_(self, other)

    def __isub__(self, other: Any) -> Tensor:
        return inplace.sub_(self, other)

    def __imul__(self, other: Any) -> Tensor:
        return inplace.mul_(self, other)

    def __itruediv__(self, other: Any) -> Tensor:
        return inplace.div_(self, other)

    def __ipow__(self, other: Any) -> Tensor:
        return inplace.pow_(self, other)

    add_ = inplace.add_
    sub_ = subtract_ = inplace.sub_
    mul_ = multiply_ = inplace.mul_
    div_ = divide_ = inplace.div_
    pow_ = inplace.pow_
    square_ = inplace.square_
    zero_ = inplace.zero_
    fill_ = indexing.fill_
    copy_ = inplace.copy_
    clamp_ = clip_ = inplace.clamp_
    masked_fill_ = inplace.masked_fill_
    abs_ = inplace.abs_
    ceil_ = inplace.ceil_
    cos_ = inplace.cos_
    exp_ = inplace.exp_
    floor_ = inplace.floor_
    log_ = inplace.log_
    neg_ = negative_ = inplace.neg_
    reciprocal_ = inplace.reciprocal_
    relu_ = inplace.relu_
    round_ = inplace.round_
    rsqrt_ = inplace.rsqrt_
    sigmoid_ = inplace.sigmoid_
    sin_ = inplace.sin_
    sqrt_ = inplace.sqrt_
    tanh_ = inplace.tanh_
    detach_ = inplace.detach_


Tensor.__module__ = "torch"  # which is what type(x) prints, as in PyTorch
variable.Tensor = Tensor
