"""`Tensor`: everything that a user can do with one. What it does is in ops/, and listed here."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograd_lab.engine.core import variable
from autograd_lab.engine.core.apply import NUMBERS, apply1, apply2, apply_view
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.exact import autocast, elementless, inspection  # noqa: F401 - it has something to say of nodes
from autograd_lab.engine.exact.mapping import hand_on
from autograd_lab.engine.exact.read_only import keep_read_only
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import check_layout, placed_on
from autograd_lab.engine.numbers.dtypes import BY_NUMPY
from autograd_lab.engine.ops.ground import copying
from autograd_lab.engine.ops.ground.dims import numpy_names
from autograd_lab.engine.ops.ground.formulas import summed_to
from autograd_lab.engine.ops.index import indexing
from autograd_lab.engine.ops.inplace import assigning
from autograd_lab.engine.ops.inplace.filling import copied_gradient
from autograd_lab.engine.ops.matrix import products
from autograd_lab.engine.ops.pointwise import (
    arithmetic,
    comparison,
    division,
    elementary,
    exponentiation,
    logic,
    selection,
)
from autograd_lab.engine.ops.pointwise.arithmetic import (
    AddBackward0,
    AddBackward1,
    DivBackward0,
    DivBackward1,
    MulBackward0,
    MulBackward1,
    SubBackward0,
    SubBackward1,
)
from autograd_lab.engine.ops.reduction import sums
from autograd_lab.engine.ops.shape import joining, views
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.engine.tensor import factories
from autograd_lab.engine.tensor.constructors import constructed
from autograd_lab.engine.tensor.inplace_methods import InPlaceMethods
from autograd_lab.engine.tensor.methods import BY_AXIS
from autograd_lab.engine.tensor.outputs import give_method_errors
from autograd_lab.engine.tensor.overriding import OPERANDS, Subclassable, foreign, operator
from autograd_lab.engine.tensor.typed import refuse_cuda
from autograd_lab.whose import users_level

__all__ = ["Tensor"]

IDENTITY = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."
ONLY_MATRICES = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)


def _itself(tensor: Tensor, name: str) -> Tensor:
    warn_once(f"Tensor.{name} is deprecated on 0-D tensors. Consider using x.conj().")
    return tensor


class Tensor(Subclassable, InPlaceMethods):
    """An array of numbers that remembers how it was computed, so that gradients can be taken."""

    __slots__ = ("__dict__",)  # which is there for attributes of the user's
    __array_priority__ = 1000

    def __new__(cls, *data: Any, device: Any = None) -> Tensor:
        """`Tensor(2, 3)` has that shape, all zeros; `Tensor([2, 3])` those elements, as default floats."""
        made: Tensor = constructed(data, dtypes.default, any_kind=True)
        made = made if device is None else made.to(device)
        if cls is not Tensor:
            made.__class__ = cls
        return made

    def __hash__(self) -> builtins.int:
        return id(self)

    # --- arithmetic ------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Tensor:
        made = apply2(AddBackward0, self, other)
        return made if made is not NotImplemented else foreign("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Tensor:
        made = apply2(SubBackward0, self, other)
        return made if made is not NotImplemented else foreign("sub", self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return arithmetic.rsub(self, other) if isinstance(other, OPERANDS) else foreign("__rsub__", self, other)

    def __mul__(self, other: Any) -> Tensor:
        made = apply2(MulBackward0, self, other)
        return made if made is not NotImplemented else foreign("mul", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Tensor:
        made = apply2(DivBackward0, self, other)
        return made if made is not NotImplemented else foreign("div", self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        if isinstance(other, np.ndarray):
            return elementary.reciprocal(self) * other
        return arithmetic.rdiv(other, self) if isinstance(other, OPERANDS) else foreign("__rtruediv__", self, other)

    __rdiv__ = __rtruediv__
    __rdiv__.__name__ = "__rdiv__"  # as PyTorch has it from Python 2

    def __pow__(self, other: Any) -> Tensor:
        return exponentiation.pow(self, other) if isinstance(other, OPERANDS) else foreign("pow", self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return exponentiation.pow(other, self) if isinstance(other, OPERANDS) else foreign("__rpow__", self, other)

    def __mod__(self, other: Any) -> Tensor:
        return division.remainder(self, other) if isinstance(other, OPERANDS) else foreign("remainder", self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return division.remainder(other, self) if isinstance(other, OPERANDS) else foreign("__rmod__", self, other)

    def __floordiv__(self, other: Any) -> Tensor:
        return (
            division.floor_divide(self, other) if isinstance(other, OPERANDS) else foreign("__floordiv__", self, other)
        )

    def __rfloordiv__(self, other: Any) -> Tensor:
        return (
            division.floor_divide(other, self) if isinstance(other, OPERANDS) else foreign("__rfloordiv__", self, other)
        )

    def __matmul__(self, other: Any) -> Tensor:
        if not isinstance(other, Variable):
            return foreign("matmul", self, other)
        x, y = self._array, other._array
        if x.ndim == 2 == y.ndim and x.dtype is y.dtype and x.shape[1] == y.shape[0] and not autocast.used:
            return apply2(products.MmBackward0, self, other)  # in short
        return products.matmul(self, other)  # type: ignore[arg-type]  # all are Tensors

    def __rmatmul__(self, other: Any) -> Tensor:
        return products.matmul(other, self) if isinstance(other, Variable) else foreign("__rmatmul__", self, other)  # type: ignore[arg-type]  # all are Tensors

    def __neg__(self) -> Tensor:
        return elementary.neg(self)

    def __pos__(self) -> Tensor:
        return arithmetic.positive(self)

    def __abs__(self) -> Tensor:
        return elementary.abs(self)

    def _times(self, factor: Any) -> Tensor:
        return apply1(MulBackward1, self, factor)

    def _plus(self, number: Any) -> Tensor:
        return apply1(AddBackward1, self, number)

    def _minus(self, number: Any) -> Tensor:
        return apply1(SubBackward1, self, number)

    def _totals(self, dims: tuple[builtins.int, ...]) -> Tensor:
        return apply1(sums.SumBackward1, self, dims, True)

    def _shaped(self, shape: tuple[builtins.int, ...]) -> Tensor:
        return apply_view(views.ViewBackward0, self, shape)

    _summed_to = summed_to
    _copied_gradient = copied_gradient
    _stacked = staticmethod(stack)

    def _over(self, number: Any) -> Tensor:
        return apply1(DivBackward1, self, number)

    # --- comparisons -----------------------------------------------------------------------------------------------

    __eq__ = operator("__eq__", comparison.eq, "eq")  # not a bool
    __ne__ = operator("__ne__", comparison.ne, "ne")  # nor this
    __lt__ = operator("__lt__", comparison.lt, "lt")
    __le__ = operator("__le__", comparison.le, "le")
    __gt__ = operator("__gt__", comparison.gt, "gt")
    __ge__ = operator("__ge__", comparison.ge, "ge")
    __and__, __rand__ = operator("__and__", logic.bitwise_and), operator("__rand__", logic.bitwise_and, "bitwise_and")
    __or__, __ror__ = operator("__or__", logic.bitwise_or), operator("__ror__", logic.bitwise_or, "bitwise_or")
    __xor__, __rxor__ = operator("__xor__", logic.bitwise_xor), operator("__rxor__", logic.bitwise_xor, "bitwise_xor")
    __invert__ = logic.invert
    __lshift__ = operator("__lshift__", logic.bitwise_left_shift)
    __rshift__ = operator("__rshift__", logic.bitwise_right_shift)
    __rlshift__ = operator("__rlshift__", lambda self, other: logic.bitwise_left_shift(other, self))
    __rrshift__ = operator("__rrshift__", lambda self, other: logic.bitwise_right_shift(other, self))

    def where(self, condition: Tensor, other: Any) -> Tensor:
        """The tensor's own elements where the condition holds, of `other` elsewhere."""
        return selection.where(condition, self, other)

    # --- parts -----------------------------------------------------------------------------------------------------

    __getitem__ = indexing.get
    __setitem__ = assigning.put
    __getitem__.__name__, __setitem__.__name__ = "__getitem__", "__setitem__"  # by which `__torch_function__` is asked
    __deepcopy__ = copying.deepcopied
    __reduce_ex__ = copying.reduced

    def __iter__(self) -> Iterator[Tensor]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(joining.unbind(self))

    def __contains__(self, element: Any) -> builtins.bool:
        if not isinstance(element, (Variable, *NUMBERS)):
            raise RuntimeError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        return builtins.bool((self == element).any())

    @property
    def T(self) -> Tensor:
        """The dimensions in reverse."""
        if self._array.ndim != 2:
            warn_once(ONLY_MATRICES if self._array.ndim else IDENTITY.format("T"))
        return views.permute(self, tuple(range(self._array.ndim))[::-1])

    @property
    def mH(self) -> Tensor:
        """The last two dimensions exchanged."""
        if self._array.ndim == 1:
            raise RuntimeError("tensor.mH is only supported on matrices or batches of matrices. Got 1-D tensor.")
        return views.transpose(self, -2, -1) if self._array.ndim else _itself(self, "mH")

    @property
    def H(self) -> Tensor:
        """A matrix with rows and columns exchanged."""
        if self._array.ndim not in (0, 2):
            advice = " For batches of matrices, consider using tensor.mH" if self._array.ndim > 2 else ""
            raise RuntimeError(
                f"tensor.H is only supported on matrices (2-D tensors). Got {self._array.ndim}-D tensor.{advice}"
            )
        return views.transpose(self, -2, -1) if self._array.ndim else _itself(self, "H")

    @property
    def real(self) -> Tensor:
        """The tensor itself: no tensor here is complex."""
        return self

    @real.setter
    def real(self, new: Any) -> None:
        self[...] = new

    def _imag(self, *_: Any) -> Any:
        """Always an error: no tensor here is complex."""
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")

    imag = property(_imag, _imag)

    @property
    def mT(self) -> Tensor:
        """The last two dimensions exchanged."""
        if self._array.ndim == 1:
            raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
        if not self._array.ndim:
            warn_once(IDENTITY.format("mT"))
            return self
        return views.transpose(self, -2, -1)

    # --- dtypes and new tensors ------------------------------------------------------------------------------------

    _to = copying.to_dtype

    def to(
        self, *args: Any, dtype: dtypes.dtype | None = None, device: Any = None, non_blocking: Any = False,
        copy: Any = False, memory_format: Any = None, other: Any = None,
    ) -> Tensor:  # fmt: skip
        """The tensor in another dtype, or on another device, or as another tensor is."""
        for arg in args if other is None else (*args, other):
            if isinstance(arg, Variable):
                dtype, device = BY_NUMPY[arg._array.dtype], arg.device
            elif isinstance(arg, dtypes.dtype | type):
                dtype = dtypes.of_python(arg)
            elif not isinstance(arg, builtins.bool):  # non_blocking, copy
                device = arg
        kind = self._array.dtype if dtype is None else dtype.numpy
        if device is not None and placed_on(device) is not self.device:
            return self._moved(kind)
        order = copying.ORDERS.get(memory_format)
        return copying.to_dtype(self, kind, copy or copying.lies_otherwise(self, order), order)

    def _moved(self, kind: dtypes.NumpyDtype) -> Tensor:
        """A copy without elements. Raises NotImplementedError for a tensor that has none."""
        elementless.refuse_reading(self._array)
        out = copying.to_dtype(self, kind, copy=True)
        out._array = elementless.bare(out._array)
        return out

    def type_as(self, other: Tensor) -> Tensor:
        """The tensor in the dtype of `other`."""
        return copying.to_dtype(self, other._array.dtype)

    def type(self, dtype: Any = None) -> Any:
        """The name of its type, such as torch.FloatTensor; or the tensor in the dtype, or of the type of that name."""
        refuse_cuda(dtype)
        names = {f"torch.{each.title}Tensor": each for each in BY_NUMPY.values()}
        dtype = dtypes.get_default_dtype() if dtype is Tensor else getattr(dtype, "dtype", dtype)  # as of LongTensor
        if dtype is None:
            return f"torch.{'meta.' * self.is_meta}{BY_NUMPY[self._array.dtype].title}Tensor"
        if isinstance(dtype, str) and dtype not in names:
            raise ValueError(f"invalid type: {dtype!r}")
        wanted = names.get(dtype) if isinstance(dtype, str) else dtype
        if not isinstance(wanted, dtypes.dtype):
            raise TypeError("dtype must be a type, str, or dtype object")
        return copying.to_dtype(self, wanted.numpy)

    def float(self, memory_format: Any = None) -> Tensor:
        """The tensor in float32."""
        return copying.to_dtype(self, dtypes.F32)

    def double(self, memory_format: Any = None) -> Tensor:
        """The tensor in float64."""
        return copying.to_dtype(self, dtypes.F64)

    def half(self, memory_format: Any = None) -> Tensor:
        """The tensor in float16."""
        return copying.to_dtype(self, dtypes.float16.numpy)

    def bfloat16(self, memory_format: Any = None) -> Tensor:
        """The tensor in bfloat16."""
        return copying.to_dtype(self, dtypes.bfloat16().numpy)

    def int(self, memory_format: Any = None) -> Tensor:
        """The tensor in int32."""
        return copying.to_dtype(self, dtypes.int32.numpy)

    def long(self, memory_format: Any = None) -> Tensor:
        """The tensor in int64."""
        return copying.to_dtype(self, dtypes.I64)

    def bool(self, memory_format: Any = None) -> Tensor:
        """True where the tensor is not zero."""
        return copying.to_dtype(self, dtypes.BOOL)

    def short(self, memory_format: Any = None) -> Tensor:
        """The tensor in int16."""
        return copying.to_dtype(self, dtypes.int16.numpy)

    def char(self, memory_format: Any = None) -> Tensor:
        """The tensor in int8."""
        return copying.to_dtype(self, dtypes.int8.numpy)

    def byte(self, memory_format: Any = None) -> Tensor:
        """The tensor in uint8."""
        return copying.to_dtype(self, dtypes.uint8.numpy)

    def _kin(self, options: dict[str, Any]) -> dict[str, Any]:
        """What is asked for, in the tensor's dtype and on its device unless others are."""
        check_layout("new", options.get("layout"))
        return {"dtype": self.dtype, "device": self.device, **options}

    def new_zeros(self, *size: Any, **options: Any) -> Tensor:
        """Zeros of the tensor's dtype."""
        return hand_on(factories.zeros(*size, **self._kin(options)), self)

    def new_ones(self, *size: Any, **options: Any) -> Tensor:
        """Ones of the tensor's dtype."""
        return hand_on(factories.ones(*size, **self._kin(options)), self)

    def new_empty(self, *size: Any, **options: Any) -> Tensor:
        """Elements of the tensor's dtype that are not set."""
        return hand_on(factories.empty(*size, **self._kin(options)), self)

    def new_full(self, size: Any, fill_value: Any, **options: Any) -> Tensor:
        """One number, over and over, in the tensor's dtype."""
        return hand_on(factories.full(size, fill_value, **self._kin(options)), self)

    def new_tensor(self, data: Any, **options: Any) -> Tensor:
        """The numbers in `data`, in the tensor's dtype."""
        if isinstance(data, Variable):
            warnings.warn(factories.COPY.format("tensor.new_tensor"), UserWarning, stacklevel=users_level())
            data = data._array
        return factories.tensor(data, **self._kin(options))


for _name in BY_AXIS.split():
    setattr(Tensor, _name, numpy_names(getattr(Tensor, _name)))
give_method_errors(Tensor)
keep_read_only(Tensor)
Tensor.__module__ = "torch"  # which is what type(x) prints, as in PyTorch
variable.Tensor = Tensor
