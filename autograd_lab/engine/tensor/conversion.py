"""`Convertible`: how a tensor becomes Python's numbers and lists, and numpy's arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors import noted, reasons
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.exact.elementless import NO_DATA, Elementless, refuse_reading
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import DLDeviceType
from autograd_lab.engine.numbers.dtypes import Array

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

AS_A_NUMBER = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)
NO_ITEM = "Tensor.item() cannot be called on meta tensors"
NO_NUMPY = "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
DETACH_FIRST = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."


class Convertible(Variable):
    """A tensor, as far as it is converted to something else."""

    __slots__ = ()

    def item(self) -> Any:
        """The only element, as a Python number."""
        mapping.refuse(mapping.ITEM, self)
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._readable().item()

    def _readable(self) -> Array:
        """Its array. Raises RuntimeError if that has no elements."""
        if type(self._array) is Elementless:
            raise RuntimeError(NO_ITEM)
        return self._array

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a number for a 0-d tensor."""
        mapping.refuse(mapping.NO_STORAGE, self)
        refuse_reading(self._array)
        return self._array.tolist()

    def numpy(self, *, force: bool = False) -> Array:
        """The elements as an array, in the same memory. Raises RuntimeError if that would go past a recording.

        With `force`, it does not mind that.
        """
        if self._needs and is_grad_enabled() and not force:
            raise noted(RuntimeError(DETACH_FIRST), reasons.to_array(self))
        mapping.refuse(mapping.NO_STORAGE, self)
        if type(self._array) is Elementless:
            raise TypeError(NO_NUMPY) if not force else NotImplementedError(NO_DATA)
        if listening.active is not None:
            listening.active.opened(self)
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __dlpack__(
        self,
        *,
        stream: Any = -1,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The memory, for another library that knows the standard."""
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if stream is not None and type(stream) is not int:
            raise TypeError("stream must be ``int`` or ``none``")
        if stream not in (None, -1):
            raise AssertionError("stream should be None on cpu.")
        if isinstance(self._array, Elementless):
            raise BufferError("Cannot pack tensors on meta")
        return self.numpy().__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """That it is the CPU's memory. Raises ValueError if there is none."""
        if isinstance(self._array, Elementless):
            raise ValueError("Unknown device type meta for Dlpack")
        return DLDeviceType.kDLCPU, 0

    def __array_wrap__(self, array: Array, context: Any = None, return_scalar: bool = False) -> Tensor:
        """What numpy's own functions make of a tensor is a tensor, too."""
        return wrap(array.astype(np.uint8) if array.dtype == dtypes.BOOL else array)

    def _only(self) -> Any:
        mapping.refuse(mapping.ITEM, self)
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._readable().item()

    def __float__(self) -> float:
        if self._needs and is_grad_enabled():
            warn_once(AS_A_NUMBER)
        return float(self._only())

    def __complex__(self) -> complex:
        return complex(float(self))

    def __int__(self) -> int:
        return int(self._only())

    def __index__(self) -> int:
        mapping.refuse(mapping.ITEM, self)
        if self._array.dtype.kind not in "biu" or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._readable().item())

    def __bool__(self) -> bool:
        mapping.refuse(mapping.DECIDES, self)
        if self._array.size != 1:
            ambiguous = "more than one" if self._array.size else "no"
            raise RuntimeError(
                f"Boolean value of Tensor with {ambiguous} value{'s' * (not self._array.size)} is ambiguous"
            )
        return bool(self._readable().item())
