"""What can be seen of a call in either world, and in what two worlds differ."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from tests.databases.twins import array_of, tensors_in

TOLERANCE = {"float64": (1e-7, 1e-9), "float32": (1e-4, 1e-5), "float16": (1e-2, 1e-3), "bfloat16": (3e-2, 1e-2)}
Facts = dict[str, Any]


def observed(m: Any, call: Callable[[], Any], leaves: Sequence[Any]) -> Facts:
    """Values, dtypes, shapes, layouts, nodes and views of what a call gives, and its gradients, twice; or its error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        m.default_generator.manual_seed(0)  # what is drawn is the same in both worlds
        try:
            result = call()
        except Exception as error:
            return {"error": said(error)}
        facts = seen(result)
        roots = [one for one in tensors_in(result) if one.requires_grad and one.grad_fn is not None]
        if leaves and roots:
            facts |= _gradients(m, roots, leaves)
        return facts


def seen(result: Any) -> Facts:
    """What is to be seen of a result without asking for gradients."""
    found = list(tensors_in(result))
    if not found:
        return {"values": [np.asarray(result)] if isinstance(result, bool | int | float) else str(result)}
    return {
        "values": [plain(one) for one in found],
        "dtype": [str(one.dtype) for one in found],
        "shape": [tuple(one.shape) for one in found],
        "layout": [tuple(one.stride()) for one in found if one.numel() > 1],
        "node": [name_of(one.grad_fn) for one in found],
        "view": [one._is_view() for one in found],
        "names": type(result).__name__ if isinstance(result, tuple) else "",
    }


def name_of(node: Any) -> str | None:
    """A node's name."""
    return None if node is None else str(node.name())


def plain(tensor: Any) -> Any:
    """A tensor's elements as an array of numpy's own dtypes."""
    detached = tensor.detach()
    if isinstance(tensor, torch.Tensor):
        array = array_of(detached.clone() if detached.is_neg() or detached._is_zerotensor() else detached)
    else:
        array = detached._array
    return np.asarray(array, np.float32) if array.dtype.kind == "V" else np.array(array)


def said(error: Exception) -> str:
    """An error's type and first line, without addresses."""
    first = (str(error).splitlines() or [""])[0]
    return re.sub("0x[0-9a-f]+", "0x", f"{type(error).__name__}: {first}")


def _gradients(m: Any, roots: list[Any], leaves: Sequence[Any]) -> Facts:
    facts: Facts = {}
    try:
        first = m.autograd.grad(
            roots, leaves, [_weights(m, one) for one in roots], create_graph=True, allow_unused=True
        )
    except Exception as error:
        return {"gradient": said(error)}
    facts["gradient"] = [None if one is None else plain(one) for one in first]
    inner = [one for one in first if one is not None and one.requires_grad]
    if not inner:
        return facts
    try:
        second = m.autograd.grad(inner, leaves, [_weights(m, one) for one in inner], allow_unused=True)
    except Exception as error:
        return facts | {"second gradient": said(error)}
    return facts | {"second gradient": [None if one is None else plain(one) for one in second]}


def _weights(m: Any, like: Any) -> Any:
    """Numbers of the tensor's shape, no two of them alike, that are the same in both worlds."""
    numbers = np.cos(np.arange(like.numel(), dtype=np.float64) * 0.7 + 0.3).reshape(tuple(like.shape))
    return m.tensor(numbers).to(like.dtype)


def differences(ours: Facts, theirs: Facts, loose: float = 1.0) -> dict[str, str]:
    """In what two observations differ, with words for each."""
    found = {}
    for kind in theirs.keys() | ours.keys():
        one, other = ours.get(kind), theirs.get(kind)
        if not alike(one, other, 20 * loose if kind == "second gradient" else loose):
            found[kind] = f"{shown(one)} here, {shown(other)} there"
    return found


def alike(one: Any, other: Any, loose: float = 1.0) -> bool:
    """Whether two facts are the same, arrays up to rounding; no gradient is one of zeros."""
    if one is None or other is None:
        there = one if other is None else other
        if isinstance(there, list):
            return all(alike(part, None) for part in there)
        return there is None or (isinstance(there, np.ndarray) and not np.any(there))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        relative, absolute = TOLERANCE.get(other.dtype.name, (0.0, 0.0))
        with np.errstate(all="ignore"):
            return one.shape == other.shape and np.allclose(one, other, relative * loose, absolute * loose, True)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(alike(a, b, loose) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def shown(fact: Any) -> str:
    """A fact in one short line."""
    text = " ".join(str(fact).split())
    return text if len(text) < 160 else f"{text[:160]} …"
