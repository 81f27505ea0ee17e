"""How examples become a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.numbers.dtypes import float64
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.engine.tensor.factories import from_numpy, tensor


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch of one from many examples: tensors stacked, numbers as a tensor, tuples and dicts part by part."""
    first = batch[0]
    if is_tensor(first):
        return stack(list(batch))
    if isinstance(first, np.ndarray | np.generic):
        return wrap(np.stack(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([example[key] for example in batch]) for key in first}
    if isinstance(first, Sequence):
        if any(len(example) != len(first) for example in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


def default_convert(data: Any) -> Any:
    """An example without a batch: arrays become tensors, containers part by part, the rest stays."""
    if isinstance(data, np.ndarray):
        return from_numpy(data) if data.dtype.kind not in "SUO" else data
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple | list):
        return [default_convert(part) for part in data]
    return data
