"""What PyTorch's databases call with, made anew for the engine: tensors in memory that is laid out alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

import autograd_lab as lab


class Absent(Exception):
    """Something that the engine leaves out on purpose, such as complex numbers: nothing to compare."""


class Twins:
    """Things of PyTorch and their twins; one thing has one twin, and what shares memory shares it there."""

    def __init__(self) -> None:
        self.tensors: dict[int, Any] = {}
        self.memory: dict[Any, Any] = {}
        self.kept: list[Any] = []

    def of(self, thing: Any) -> Any:
        """The twin of a tensor, or of what holds some. Raises Absent if there cannot be one."""
        if isinstance(thing, torch.Tensor):
            if thing.device.type != "cpu":
                raise Absent(str(thing.device))
            self.kept.append(thing)  # or another would come to have its number
            return self.tensors.setdefault(id(thing), self._tensor(thing))
        if isinstance(thing, torch.dtype):
            return self._dtype(thing)
        if isinstance(thing, torch.Size):
            return lab.Size(thing)
        if isinstance(thing, torch.device):
            return lab.device(thing.type)
        if isinstance(thing, torch.layout | torch.memory_format | torch.Generator | complex):
            raise Absent(type(thing).__name__)
        if isinstance(thing, list | tuple):
            return type(thing)(map(self.of, thing)) if type(thing) in (list, tuple) else tuple(map(self.of, thing))
        if isinstance(thing, dict):
            return {key: self.of(value) for key, value in thing.items()}
        if callable(thing) and getattr(thing, "__module__", "").startswith("torch"):
            raise Absent(repr(thing))
        return thing

    def _dtype(self, kind: torch.dtype) -> Any:
        name = str(kind).removeprefix("torch.")
        if kind.is_complex or not hasattr(lab, name):
            raise Absent(name)
        return getattr(lab, name)

    def _tensor(self, tensor: torch.Tensor) -> Any:
        self._dtype(tensor.dtype)
        if tensor.layout is not torch.strided or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            raise Absent(str(tensor.layout))
        plain = tensor.detach()
        if plain.is_neg() or plain.dim() > 64:
            raise Absent("a negated view, or more dimensions than numpy has")
        storage = plain.untyped_storage()
        key = storage.data_ptr(), plain.dtype  # that of what is empty is 0
        if key not in self.memory:
            flat = torch.empty(0, dtype=plain.dtype).set_(storage, 0, (storage.nbytes() // plain.element_size(),))
            self.memory[key] = array_of(flat).copy()
        steps = [stride * plain.element_size() for stride in plain.stride()]
        memory = self.memory[key][plain.storage_offset() :]
        array = np.lib.stride_tricks.as_strided(memory, tuple(plain.shape), steps)
        twin = lab.from_numpy(array)
        twin = lab.nn.Parameter(twin) if isinstance(tensor, torch.nn.Parameter) else twin
        if tensor.requires_grad and not tensor.dtype.is_floating_point:
            raise Absent("a gradient of what is not floating")
        return twin.requires_grad_(tensor.requires_grad)


def array_of(tensor: torch.Tensor) -> Any:
    """A tensor's elements as an array, bfloat16 too."""
    if tensor.dtype is torch.bfloat16:
        import ml_dtypes

        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def tensors_in(thing: Any) -> Iterator[Any]:
    """All tensors in nested containers, of either world."""
    if isinstance(thing, torch.Tensor | lab.Tensor):
        yield thing
    elif isinstance(thing, list | tuple):
        for part in thing:
            yield from tensors_in(part)
    elif isinstance(thing, dict):
        for part in thing.values():
            yield from tensors_in(part)
