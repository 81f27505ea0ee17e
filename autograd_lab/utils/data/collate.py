"""How examples become a batch."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.numbers.dtypes import float64
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.engine.tensor.factories import as_tensor, tensor

FOUND = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch of one from many examples: tensors stacked, numbers as a tensor, tuples and dicts part by part."""
    first = batch[0]
    if is_tensor(first):
        return stack(list(batch))
    if isinstance(first, np.ndarray | np.generic):
        if first.dtype.kind in "SUO":
            raise TypeError(FOUND.format(first.dtype))
        return wrap(np.stack(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return _alike(first, {key: default_collate([example[key] for example in batch]) for key in first})
    if isinstance(first, Sequence):
        if any(len(example) != len(first) for example in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return _alike(first, [default_collate(part) for part in zip(*batch, strict=True)])
    raise TypeError(FOUND.format(type(first)))


def default_convert(data: Any) -> Any:
    """An example without a batch: arrays become tensors, containers part by part, the rest stays."""
    if isinstance(data, np.ndarray | np.generic):
        return as_tensor(data) if data.dtype.kind not in "SUO" else data
    if isinstance(data, Mapping):
        return _alike(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _alike(data, [default_convert(part) for part in data])
    return data


def _alike(like: Any, parts: Any) -> Any:
    """The parts in a container of the same class, if that can be had; of a tuple without names, in a list."""
    if isinstance(like, tuple):
        return type(like)(*parts) if hasattr(like, "_fields") else parts
    try:
        if not isinstance(like, MutableMapping | MutableSequence):
            return type(like)(parts)
        made = copy.copy(like)
        for key, part in parts.items() if isinstance(parts, dict) else enumerate(parts):
            made[key] = part
        return made
    except TypeError:
        return parts
