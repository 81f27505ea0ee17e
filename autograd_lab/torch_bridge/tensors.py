"""What a torch tensor is and holds at a moment, in the words of a recorder; nothing of it is kept."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

from autograd_lab.events import Value
from autograd_lab.torch_bridge.internals import no_dispatch, no_functions
from autograd_lab.values import Snapshot, snapshot

UNREADABLE = Value()
"""Of what has no plain numbers: meta and sparse tensors, and those inside `torch.func`."""


class Dtype(NamedTuple):
    """A dtype by the name that numpy has for it, too."""

    name: str


@lru_cache(maxsize=64)
def dtype_of(dtype: torch.dtype) -> Dtype:
    return Dtype(str(dtype).removeprefix("torch."))


def taken(tensor: Any) -> Snapshot:
    """What to keep of a tensor's numbers; a snapshot is itself."""
    if not isinstance(tensor, torch.Tensor):
        return tensor
    if not is_plain(tensor) or tensor.is_complex():
        return UNREADABLE
    with no_dispatch(), no_functions():
        return _numbers_of(tensor)


def _numbers_of(tensor: Any) -> Snapshot:
    try:
        plain = tensor.detach()
        if plain.numel() and not plain.data_ptr():  # its numbers are in others, as in those of a DTensor
            return UNREADABLE
        if plain.dtype is torch.bfloat16 or (plain.dtype.itemsize < 2 and plain.is_floating_point()):
            plain = plain.float()
        return snapshot(np.from_dlpack(plain.resolve_neg().cpu()))  # after `.numpy()` none could be resized any more
    except (RuntimeError, TypeError, NotImplementedError, ValueError, BufferError):
        return UNREADABLE


def is_plain(tensor: Any) -> bool:
    """Whether a tensor has elements in memory, one by one."""
    if tensor.is_nested:  # to ask more of it gives warnings
        return False
    return tensor.layout is torch.strided and tensor.device.type != "meta" and not tensor.is_quantized


def copied(gradient: Any) -> Any:
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
    return int(tensor.numel() * tensor.element_size())


def shape_of(tensor: Any) -> tuple[int, ...]:
    """A tensor's shape; with -1 for what is ragged, and empty if torch has none to tell.

    A lazy parameter is not asked itself: it tells none until it has been given its class.
    """
    try:
        return tuple(size if type(size) is int else -1 for size in torch.Tensor.shape.__get__(tensor))
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
