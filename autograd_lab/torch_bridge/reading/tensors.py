"""What a torch tensor is and holds at a moment, in the words of a recorder; nothing of it is kept."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

from autograd_lab.events import Value
from autograd_lab.recording.values.large_array import is_summary, sample
from autograd_lab.recording.values.snapshot import KEPT, Snapshot, snapshot
from autograd_lab.torch_bridge.internals import no_dispatch, no_functions
from autograd_lab.torch_bridge.reading.far import Far

UNREADABLE = Value()
"""Of what has no plain numbers: meta and sparse tensors, and those inside `torch.func`."""


_NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
)  # fmt: skip
NUMPY = {getattr(torch, name): np.dtype(name) for name in _NAMES if hasattr(torch, name)}
"""The dtypes that numpy has, too; shorter floats are read as float32, all else is unreadable."""


_memory = ctypes.pythonapi.PyMemoryView_FromMemory
_memory.argtypes, _memory.restype = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int), ctypes.py_object
_READ_ONLY = 0x100


@lru_cache(maxsize=64)
def dtype_of(dtype: torch.dtype) -> str:
    """The name of a dtype, which numpy has for it, too."""
    return str(dtype).removeprefix("torch.")


def device_of(tensor: Any) -> str:
    """Where a tensor's memory is."""
    return "cpu" if tensor.is_cpu else str(tensor.device)


def snapshot_of(tensor: Any) -> Snapshot:
    """What to keep of a tensor's numbers; a snapshot is itself."""
    if not isinstance(tensor, torch.Tensor):
        return tensor
    if tensor.is_nested or tensor.layout is not torch.strided:  # to ask more of what is nested gives warnings
        return UNREADABLE
    try:
        if tensor.is_cpu and tensor.dtype in NUMPY and not tensor.is_neg():
            return _read(tensor)
        with no_dispatch(), no_functions():
            plain = _with_plain_numbers(tensor.detach())
            return _read(plain) if plain.is_cpu else _far_snapshot(plain)
    except (RuntimeError, TypeError, NotImplementedError, ValueError, BufferError):
        return UNREADABLE


def _with_plain_numbers(tensor: Any) -> Any:
    """A tensor with numbers as numpy can have them. Raises TypeError for numbers that it has not."""
    if tensor.dtype not in NUMPY:
        if not tensor.is_floating_point():
            raise TypeError(f"numpy has no {tensor.dtype}")
        tensor = tensor.float()
    return tensor.resolve_neg()


far = Far()
"""What is still on other devices, of all recordings."""


def _far_snapshot(tensor: Any) -> Snapshot:
    """The same of a tensor on another device. To wait for a device while it captures a graph is not allowed."""
    device = tensor.device.type
    if device == "meta" or (device == "cuda" and torch.cuda.is_current_stream_capturing()):
        return UNREADABLE
    return far.take(tensor)


def _read(tensor: Any) -> Snapshot:
    """A snapshot of a tensor that lies in memory; taken from there, for `.numpy()` would keep it from being resized."""
    size, address = tensor.nbytes, tensor.data_ptr()
    if size and not _has_memory(tensor, address):
        return UNREADABLE
    if size <= KEPT and tensor.is_contiguous():
        return ctypes.string_at(address, size), NUMPY[tensor.dtype], tuple(tensor.shape)
    return snapshot(_array(tensor, address))


def _has_memory(tensor: Any, address: int) -> bool:
    """Whether a tensor's storage lies anywhere; the numbers of some are in others, as in those of a DTensor."""
    return bool(address != tensor.storage_offset() * tensor.element_size())


def _array(tensor: Any, address: int) -> np.ndarray[Any, Any]:
    """A tensor's memory as an array that must not outlive it."""
    shape, dtype = tuple(tensor.shape), NUMPY[tensor.dtype]
    if tensor.is_contiguous():
        return np.ndarray(shape, dtype, _memory(address, tensor.nbytes, _READ_ONLY))
    strides = [stride * dtype.itemsize for stride in tensor.stride()]
    reach = dtype.itemsize + sum([(count - 1) * stride for count, stride in zip(shape, strides, strict=True)])
    return np.ndarray(shape, dtype, _memory(address, reach if tensor.nbytes else 0, _READ_ONLY), 0, strides)


class Sent(NamedTuple):
    """What was taken of a large tensor, by which it is known if it comes along again unchanged."""

    address: int
    version: int
    value: Snapshot


def note_of(tensor: Any, value: Snapshot) -> Sent | None:
    """A note of a tensor and of what was taken of it; None if it is taken anew as fast."""
    return Sent(tensor.data_ptr(), tensor._version, value) if is_summary(value) else None


def snapshot_again(tensor: Any, before: Sent | None) -> Snapshot:
    """What `snapshot_of` gives, by less work if a tensor is what it was: hooks may have put another in its place."""
    if before is None or tensor is None:
        return tensor if tensor is None else snapshot_of(tensor)
    if not _is_readable(tensor) or (tensor.data_ptr(), tensor._version) != before[:2]:
        return snapshot_of(tensor)
    return before.value if _looks_like(tensor, before.value) else snapshot_of(tensor)


def snapshot_like(tensor: Any, value: Snapshot) -> Snapshot:
    """What `snapshot_of` gives of a tensor that most likely holds just what another did."""
    return value if is_summary(value) and _is_readable(tensor) and _looks_like(tensor, value) else snapshot_of(tensor)


def _is_readable(tensor: Any) -> bool:
    strided = tensor.is_cpu and tensor.layout is torch.strided and tensor.dtype in NUMPY
    return strided and _has_memory(tensor, tensor.data_ptr())


def _looks_like(tensor: Any, value: Snapshot) -> bool:
    known, now = value[1], sample(_array(tensor, tensor.data_ptr()))
    return bool(now.dtype == known.dtype and now.tobytes() == known.tobytes())


def is_plain(tensor: Any) -> bool:
    """Whether a tensor has elements in memory, one by one."""
    if tensor.is_nested:  # to ask more of it gives warnings
        return False
    return tensor.layout is torch.strided and tensor.device.type != "meta" and not tensor.is_quantized


def copy_of(gradient: Any) -> Any:
    """A copy; None of what has no numbers to copy: inside of `vmap`."""
    with no_dispatch(), torch.no_grad():
        try:
            return gradient.detach().clone()
        except (RuntimeError, NotImplementedError):
            return None


def is_same(one: Any, other: Any) -> bool:
    """Whether two tensors hold the same, to the bit."""
    if one.dtype != other.dtype or one.shape != other.shape or one.layout != other.layout:
        return False
    with no_dispatch(), torch.no_grad():
        return torch.equal(_bytes_of(one), _bytes_of(other))


def _bytes_of(tensor: Any) -> Any:
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    return plain.view(-1).view(torch.uint8)


def number_in(tensor: Any) -> Any:
    """The number in a tensor of one element; those that stand for Python's numbers cannot pass the dispatcher, and what
    `vmap` maps over has none."""
    with no_dispatch():
        try:
            return tensor.item()
        except RuntimeError:
            return None


def version_of(tensor: Any) -> int:
    """How often a tensor was written to; 0 for an inference tensor, which does not count."""
    return 0 if tensor.is_inference() else int(tensor._version)


def nbytes_of(tensor: Any) -> int:
    """The bytes of a tensor's elements, shared or not; of a sparse one, those of its parts."""
    if tensor.layout is torch.sparse_coo:
        return nbytes_of(tensor._indices()) + nbytes_of(tensor._values())
    return int(tensor.nbytes)


def shape_of(tensor: Any) -> tuple[int, ...]:
    """A tensor's shape; with -1 for what is ragged, and empty if torch has none to tell.

    A lazy parameter is not asked itself: it tells none until it has been given its class.
    """
    try:
        return tuple([size if type(size) is int else -1 for size in torch.Tensor.shape.__get__(tensor)])
    except RuntimeError:
        return ()


def node_of(tensor: Any) -> Any:
    """The node that made a tensor; None also if torch forbids to ask, as of some views made in inference mode."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def may_be_asked(tensor: Any) -> bool:
    """Whether torch allows to ask where a tensor comes from."""
    try:
        return tensor.is_leaf is not None
    except RuntimeError:
        return False
