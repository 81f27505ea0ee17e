"""Tensors that share their memory with arrays of other libraries, as `torch.utils.dlpack` has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.device import DLDeviceType
from autograd_lab.engine.tensor.factories import from_numpy

__all__ = ["DLDeviceType", "from_dlpack"]
USED = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have "
    "already constructed a tensor from it once."
)


class _Once:
    """A capsule, as what gives it out: it is taken once, and is always of the CPU."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **wanted: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLDeviceType.kDLCPU, 0


class _Memory:
    """The memory of an array, to be written to: numpy is careful with what a capsule does not tell."""

    def __init__(self, array: Any) -> None:
        self._kept = array
        told = array.__array_interface__
        self.__array_interface__ = {**told, "data": (told["data"][0], False)}


def _shared(array: Any) -> Any:
    return from_numpy(array if array.flags.writeable else np.asarray(_Memory(array)))


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor in the memory of what another library gives: an object with `__dlpack__`, or a capsule of it."""
    if not hasattr(ext_tensor, "__dlpack__"):
        if device is not None or copy is not None:
            raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
        if "dltensor" not in repr(ext_tensor) or "used" in repr(ext_tensor):
            raise RuntimeError(USED)
        return _shared(np.from_dlpack(_Once(ext_tensor)))
    try:
        array = np.from_dlpack(ext_tensor, copy=copy)
    except TypeError:  # a library that does not know the question yet
        array = np.from_dlpack(ext_tensor)
        array = array.copy() if copy else array
    tensor = _shared(array)
    return tensor if device is None else tensor.to(device)


def to_dlpack(tensor: Any) -> Any:
    """A capsule of a tensor's memory, which is taken once; what is computed from it has no history."""
    if not isinstance(tensor, Variable):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type(tensor).__name__}")
    return tensor.detach().__dlpack__()
