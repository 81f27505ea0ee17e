"""The memory that tensors lie in: `UntypedStorage` counts bytes, `TypedStorage` the elements of one dtype."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.device import CPU, device, owner_of
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Array, dtype

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)
_warned: list[bool] = []
HEADS = 48, 40
"""Bytes of PyTorch's own objects, besides the elements, for `sys.getsizeof`: untyped, typed."""


class UntypedStorage:
    """The memory that a tensor and its views lie in."""

    __slots__ = ("_owner",)

    def __init__(self, array: Array) -> None:
        self._owner = owner_of(array)

    def data_ptr(self) -> int:
        """The address of its first byte."""
        return int(self._owner.__array_interface__["data"][0])

    def as_array(self, kind: Any) -> Array:
        """Its bytes, read as elements of a dtype."""
        return self._owner.reshape(-1).view(kind)

    def nbytes(self) -> int:
        """How many bytes it has."""
        return int(self._owner.nbytes)

    size = __len__ = nbytes

    def element_size(self) -> int:
        """A byte."""
        return 1

    def __sizeof__(self) -> int:
        return HEADS[0] + self.nbytes()

    def __repr__(self) -> str:
        rows = "".join(f" {one}\n" for one in self._owner.reshape(-1).view(np.uint8).tolist())
        return f"{rows}[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"


class TypedStorage:
    """The elements of a tensor's memory, one after another, whatever part of them the tensor shows."""

    __module__ = "torch.storage"
    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        self._array = owner_of(array).reshape(-1)

    @classmethod
    def of(cls, array: Array) -> TypedStorage:
        """The memory of a tensor's array; the first time with PyTorch's warning that the class will go."""
        if not _warned:
            _warned.append(True)
            warnings.warn(DEPRECATED, UserWarning, stacklevel=3)
        return cls(array)

    @property
    def dtype(self) -> dtype:
        """What its elements are."""
        return BY_NUMPY[self._array.dtype]

    @property
    def device(self) -> device:
        """On the CPU."""
        return CPU

    def __len__(self) -> int:
        return int(self._array.size)

    size = __len__

    def __getitem__(self, at: Any) -> Any:
        return TypedStorage(self._array[at]) if isinstance(at, slice) else self._array[at].item()

    def __setitem__(self, at: Any, value: Any) -> None:
        self._array[at] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """Its elements as Python's numbers."""
        return list(self._array.tolist())

    def data_ptr(self) -> int:
        """The address of its first byte."""
        return int(self._array.__array_interface__["data"][0])

    def nbytes(self) -> int:
        """How many bytes it has."""
        return int(self._array.nbytes)

    def element_size(self) -> int:
        """How many bytes an element has."""
        return int(self._array.itemsize)

    def __sizeof__(self) -> int:
        return HEADS[1] + self.nbytes()

    def untyped(self) -> UntypedStorage:
        """The same memory, by its bytes."""
        return UntypedStorage(self._array)

    def __repr__(self) -> str:
        rows = "".join(f" {one}\n" for one in self.tolist())
        return f"{rows}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"
