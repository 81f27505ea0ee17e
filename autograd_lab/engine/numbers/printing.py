"""An array as the text that PyTorch prints for a tensor: the same digits, columns, line breaks and suffixes.

Pure functions on arrays; the one thing kept between calls is what `set_printoptions` set. The rules are those of
PyTorch 2.13: all elements shown share one style and one column width, both chosen from the nonzero finite ones, as
doubles. So float32 `1e-4`, which is 0.0000999999974 as a double, is printed in scientific notation.

>>> import numpy as np
>>> print(format_tensor(np.array([1.5, -2.25]), dtype_name="float32", default_dtype=True, requires_grad=True))
tensor([ 1.5000, -2.2500], requires_grad=True)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

__all__ = ["set_printoptions"]

IMPLIED = ("int64", "bool")
"""The dtypes, beside the default one, that the elements themselves betray, so that no suffix need name them."""


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """How tensors are printed now. `sci_mode` None leaves the choice of notation to the elements."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PROFILES["default"]


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how every tensor is printed from now on; what is None stays, save `sci_mode`, which each call sets anew.

    `precision` counts decimals; above `threshold` elements only `edgeitems` at each end of each dimension are shown;
    lines break at `linewidth` characters. `profile` is "default", "short" or "full", and the others then refine it.
    Raises ValueError or TypeError, and changes nothing, if a value cannot be printed with.
    """
    global _options
    if profile is not None and profile not in PROFILES:
        raise ValueError(f"set_printoptions(): no profile {profile!r}; choose one of {', '.join(map(repr, PROFILES))}")
    counts = {"precision": precision, "edgeitems": edgeitems, "linewidth": linewidth}
    changes: dict[str, Any] = {name: _count(name, count) for name, count in counts.items() if count is not None}
    if threshold is not None:
        if not isinstance(threshold, (int, float, np.number)):
            raise TypeError(f"set_printoptions(): threshold must be a number, not {type(threshold).__name__}")
        changes["threshold"] = threshold
    _options = replace(_options if profile is None else PROFILES[profile], sci_mode=sci_mode, **changes)


def get_printoptions() -> dict[str, Any]:
    """The present options, as keywords that `set_printoptions` takes back."""
    return asdict(_options)


def _count(name: str, value: Any) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"set_printoptions(): {name} must be an int, not {type(value).__name__}") from None
    if count < 0:
        raise ValueError(f"set_printoptions(): {name} must be 0 or more, not {count}")
    return count


def format_tensor(
    array: np.ndarray[Any, Any],
    *,
    dtype_name: str,
    default_dtype: bool,
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    tangent: object = None,
    elementless: bool = False,
    title: str = "tensor",
) -> str:
    """What PyTorch prints for a tensor that holds `array`, of any shape: booleans, integers or floating numbers.

    `dtype_name` is the dtype's name without `torch.`; `default_dtype` says that it is the default floating dtype, which
    is never named. `grad_fn_name`, such as "MulBackward0", is shown in place of `requires_grad`; then the `tangent`
    of forward mode. Of a tensor on meta, `elementless`, there is no more to say than its shape. `title`
    is what comes first: the name of a class of the user's own.
    Raises TypeError for an array of anything else (complex numbers, strings, objects).
    """
    if dtype_name == "bfloat16":
        array = array.astype(np.float32)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"cannot print an array of {array.dtype}: only booleans, integers and floating numbers")
    implied = default_dtype or (array.size > 0 and dtype_name in IMPLIED and not elementless)
    suffixes = []
    if elementless:
        suffixes += ["device='meta'", f"size={array.shape}"]
    elif (array.size == 0 and array.ndim != 1) or (array.size and not _options.edgeitems):
        suffixes.append(f"size={array.shape}")
    if not implied:
        suffixes.append(f"dtype=torch.{dtype_name}")
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")  # formatted, as in PyTorch: of no dimension it is a plain number
    indent = len(title) + 1
    elements = "..." if elementless else _elements(array, indent)
    return _with_suffixes(f"{title}({elements}", suffixes, indent) + ")"


def _with_suffixes(text: str, suffixes: Sequence[str], indent: int) -> str:
    """Each suffix goes on the last line if it fits there together with the comma or bracket after it."""
    used = len(text) - (text.rfind("\n") + 1) + len(", ")
    for suffix in suffixes:
        used += len(suffix) + len(", ")
        if used > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
    return text


def _tensor_str(self: Any, indent: int) -> str:
    """The elements of a tensor, as libraries that print their own kinds of tensors ask for them."""
    return _elements(self._array, indent)


def _add_suffixes(tensor_str: str, suffixes: Sequence[str], indent: int, force_newline: bool = False) -> str:
    """What they have made of the elements, and what follows them."""
    return _with_suffixes(tensor_str, suffixes, indent) + ")"


def __getattr__(name: str) -> PrintOptions:
    """How tensors are printed now, as `PRINT_OPTS`."""
    if name == "PRINT_OPTS":
        return _options
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _elements(array: np.ndarray[Any, Any], indent: int) -> str:
    if array.size == 0:
        return "[]"
    if array.size <= _options.threshold:
        cuts = [False] * array.ndim
    elif array.ndim and not _options.edgeitems:
        return "[...]"
    else:
        cuts = [size > 2 * _options.edgeitems for size in array.shape]
        array = _edges(array, cuts)
    cells, width = _cells(array.ravel().tolist(), floating=array.dtype.kind in "fV")
    return _nested(iter(cells), array.shape, cuts, indent, width)


def _edges(array: np.ndarray[Any, Any], cuts: Sequence[bool]) -> np.ndarray[Any, Any]:
    """The first and last `edgeitems` along each cut dimension."""
    ends = [*range(_options.edgeitems), *range(-_options.edgeitems, 0)]
    for axis, cut in enumerate(cuts):
        if cut:
            array = array.take(ends, axis)
    return array


def _cells(values: list[Any], *, floating: bool) -> tuple[list[str], int]:
    """Every value in the one style that suits them all, padded on the left to the column's width; and that width.

    Zeros, infinities and nan do not widen the column: `[0., nan]` is ragged, as it is in PyTorch.
    """
    if not floating:
        texts = [str(value) for value in values]
        width = max(map(len, texts))
    else:
        magnitudes = [abs(value) if math.isfinite(value) else 0.0 for value in values]
        texts = list(map(_style([magnitude for magnitude in magnitudes if magnitude]), values))
        width = max((len(text) for text, magnitude in zip(texts, magnitudes, strict=True) if magnitude), default=1)
    return [text.rjust(width) for text in texts], width


def _style(magnitudes: list[float]) -> Callable[[float], str]:
    """Scientific for a wide range, `3.` for whole numbers, else fixed decimals. `magnitudes` are nonzero and finite."""
    if magnitudes and _scientific(min(magnitudes), max(magnitudes)):
        return f"{{:.{_options.precision}e}}".format
    if all(magnitude.is_integer() for magnitude in magnitudes):
        return _whole
    return f"{{:.{_options.precision}f}}".format


def _scientific(least: float, greatest: float) -> bool:
    if _options.sci_mode is not None:
        return _options.sci_mode
    return greatest / least > 1000.0 or greatest > 1e8 or least < 1e-4


def _whole(value: float) -> str:
    return f"{value:.0f}." if math.isfinite(value) else str(value)


def _nested(cells: Iterator[str], shape: Sequence[int], cuts: Sequence[bool], indent: int, width: int) -> str:
    """`cells` in nested brackets, with `...` in the middle of each dimension that was cut."""
    if not shape:
        return next(cells)
    if len(shape) == 1:
        row = list(islice(cells, shape[0]))
        if cuts[0]:
            row.insert(len(row) // 2, " ...")
        return "[" + _wrapped(row, indent, width) + "]"
    parts = [_nested(cells, shape[1:], cuts[1:], indent + 1, width) for _ in range(shape[0])]
    if cuts[0]:
        parts.insert(len(parts) // 2, "...")
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(parts) + "]"


def _wrapped(row: list[str], indent: int, width: int) -> str:
    per_line = max(1, (_options.linewidth - indent) // (width + len(", ")))
    lines = [", ".join(row[start : start + per_line]) for start in range(0, len(row), per_line)]
    return (",\n" + " " * (indent + 1)).join(lines)
