"""`FloatTensor`, `LongTensor` and their kin: the classes by which old programs name dtypes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers import storages
from autograd_lab.engine.numbers.device import NO_CUDA, NO_LIBRARY
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, dtype
from autograd_lab.engine.tensor.constructors import constructed


class TensorType(type):
    """A class that makes plain tensors of one dtype, and to which all those of that dtype belong."""

    dtype: dtype

    def __call__(cls, *data: Any) -> Any:
        """`FloatTensor(2, 3)` has that shape; `FloatTensor([2, 3])` has those elements."""
        return constructed(data, cls.dtype.numpy)

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, Variable) and BY_NUMPY[thing._array.dtype] is cls.dtype


class OnCuda(TensorType):
    """Such a class of tensors on a GPU: none belong to it here, and none can be made."""

    is_cuda = True

    def __call__(cls, *data: Any) -> Any:
        """Always an error: there is no GPU here."""
        raise TypeError(f"type torch.cuda.{cls.__name__} not available. {NO_CUDA}.")

    def __instancecheck__(cls, thing: Any) -> bool:
        return False


class StorageType(type):
    """A class that makes memory of one dtype, and to which all such memory belongs."""

    dtype: dtype

    def __call__(cls, *data: Any) -> Any:
        """`FloatStorage(3)` has three elements; `FloatStorage([2, 3])` has those."""
        wanted = data[0] if data else 0
        array = np.zeros(wanted) if isinstance(wanted, int) else np.array(wanted)
        return storages.TypedStorage(array.astype(cls.dtype.numpy))

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, storages.TypedStorage) and thing.dtype is cls.dtype


@cache
def tensor_type(name: str) -> Any:
    """The class of that name, if a dtype has it: of tensors, or of storages."""
    if name in ("TypedStorage", "UntypedStorage"):
        return getattr(storages, name)
    if name.endswith("Storage"):
        found = [each for each in BY_NUMPY.values() if f"{each.title}Storage" == name]
        return StorageType(name, (), {"dtype": found[0], "__module__": "torch"}) if found else None
    found = [each for each in BY_NUMPY.values() if f"{each.title}Tensor" == name]
    return TensorType(name, (), {"dtype": found[0], "__module__": "torch"}) if found else None


@cache
def tensor_type_on_cuda(name: str) -> Any:
    """The class of that name of tensors on a GPU, if a dtype has it."""
    found = None if name.endswith("Storage") else tensor_type(name)
    return OnCuda(name, (), {"dtype": found.dtype, "__module__": "torch.cuda"}) if found else None


def refuse_cuda(wanted: Any) -> None:
    """Raise RuntimeError if a tensor is wanted as one of a class on a GPU, or of the class of such a name."""
    if isinstance(wanted, OnCuda) or (isinstance(wanted, str) and wanted.startswith("torch.cuda.")):
        raise RuntimeError(NO_LIBRARY)


called = tensor_type
