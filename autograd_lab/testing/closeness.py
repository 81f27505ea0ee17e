"""`torch.testing`: `assert_close`, as programs use it to check what they compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.numbers.dtypes import promote

TOLERANCES = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
"""How far numbers may be apart, relatively and absolutely; whole numbers not at all."""


UNSUITED = "No comparison pair was able to handle inputs of type"
FAILED = "\n\nThe failure occurred for item"


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None,
    equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
    check_stride: bool = False, msg: str | Callable[[str], str] | None = None,
) -> None:  # fmt: skip
    """Raise AssertionError unless two tensors, numbers or containers of them are equal up to rounding."""
    __tracebackhide__ = True  # pytest shows the line of the test
    if (rtol is None) != (atol is None):
        raise ValueError(
            "rtol and atol must both be specified or both be unspecified, but got no "
            f"{'rtol and atol' if rtol is None else 'atol and rtol'}".rpartition(" and ")[0]
            + "."
        )
    rule = (rtol, atol, equal_nan, check_dtype, check_stride, allow_subclasses)
    problem = _difference(actual, expected, "", rule)
    if problem:
        raise AssertionError(msg(problem) if callable(msg) else msg or problem)


def _difference(one: Any, other: Any, where: str, rule: tuple[Any, ...]) -> str:
    """What is wrong, in PyTorch's words; nothing if all is close."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        if one.keys() != other.keys():
            return "The keys of the mappings do not match" + where
        return _first(_difference(one[key], other[key], f"{where}{FAILED} [{key!r}]", rule) for key in one)
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        if len(one) != len(other):
            return f"The length of the sequences mismatch: {len(one)} != {len(other)}{where}"
        pairs = enumerate(zip(one, other, strict=True))
        return _first(_difference(a, b, f"{where}{FAILED} [{at}]", rule) for at, (a, b) in pairs)
    if not rule[-1] and is_tensor(one) and is_tensor(other) and type(one) is not type(other):
        raise TypeError(f"{UNSUITED} {type(one)} and {type(other)}.{where}")
    problem = _of_arrays(one, other, rule)
    return problem + where if problem else ""


def _first(problems: Any) -> str:
    return next((problem for problem in problems if problem), "")


def _of_arrays(one: Any, other: Any, rule: tuple[Any, ...]) -> str:
    rtol, atol, equal_nan, check_dtype, check_stride, _ = rule
    a, b = (each._array if is_tensor(each) else np.asarray(each) for each in (one, other))
    if is_tensor(one) != is_tensor(other) and not (is_tensor(one) and isinstance(other, np.ndarray)):
        return f"None of the pair types can compare {type(one).__name__} and {type(other).__name__}"
    if a.shape != b.shape:
        return f"The values for attribute 'shape' do not match: {_size(a)} != {_size(b)}."
    if check_dtype and is_tensor(one) and is_tensor(other) and a.dtype != b.dtype:
        return f"The values for attribute 'dtype' do not match: {one.dtype} != {other.dtype}."
    if check_stride and a.strides != b.strides:
        return f"The values for attribute 'stride()' do not match: {one.stride()} != {other.stride()}."
    wide: Any = promote(a.dtype, b.dtype) if is_tensor(one) else a.dtype
    relative, absolute = TOLERANCES.get(str(wide), (0.0, 0.0)) if rtol is None else (rtol, atol)
    with np.errstate(all="ignore"):
        x, y = (each.astype(np.int64 if wide.kind in "bui" else np.float64) for each in (a, b))
        fits = (x == y) | (np.abs(x - y) <= absolute + relative * np.abs(y)) | (np.isnan(x) & np.isnan(y) & equal_nan)
        return "" if fits.all() else _told(x.astype(wide), y.astype(wide), fits, relative, absolute)


def _size(array: Any) -> str:
    return f"torch.Size([{', '.join(map(str, array.shape))}])"


def _told(x: Any, y: Any, fits: Any, relative: float, absolute: float) -> str:
    """How many elements are apart, and the greatest differences, in PyTorch's words."""
    exact = relative == absolute == 0
    word = "equal" if exact else "close"
    allowed = ["" if exact else f" (up to {limit} allowed)" for limit in (absolute, relative)]
    if not x.ndim:
        a, b = x.item(), y.item()
        share = abs(a - b) / abs(b) if b else math.inf
        return (
            f"Scalars are not {word}!\n\nExpected {b} but got {a}.\nAbsolute difference: {abs(a - b)}{allowed[0]}\n"
            f"Relative difference: {share}{allowed[1]}"
        )
    apart = np.where(fits, 0, np.abs(x - y) if x.dtype.kind != "b" else x ^ y)
    ratio = np.where(fits, 0, apart / np.abs(y)).astype(np.float32 if x.dtype.kind in "bui" else x.dtype)
    places = [tuple(map(int, np.unravel_index(int(np.argmax(each)), each.shape))) for each in (apart, ratio)]
    count = int((~fits).sum())
    return (
        f"Tensor-likes are not {word}!\n\n"
        f"Mismatched elements: {count} / {fits.size} ({100 * count / fits.size:.1f}%)\n"
        f"Greatest absolute difference: {apart.max().item()} at index {places[0]}{allowed[0]}\n"
        f"Greatest relative difference: {ratio.max().item()} at index {places[1]}{allowed[1]}"
    )
