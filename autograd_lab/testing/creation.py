"""`make_tensor`: a tensor of random numbers for a test, in any dtype; and `assert_allclose`, as it was called."""

from __future__ import annotations

import math
import warnings
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.tensor import factories
from autograd_lab.engine.tensor.randomness import randint
from autograd_lab.testing.closeness import assert_close
from autograd_lab.whose import users_level

OLD = (
    "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use "
    "`torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
    "https://github.com/pytorch/pytorch/issues/61844."
)
OLDER = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
"""How far numbers might be apart."""
NO_RANGE = (
    "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 and will "
    "be removed in 2.3. Use `torch.full(...)` instead."
)


def make_tensor(
    *shape: Any, dtype: Any, device: Any = "cpu", low: float | None = None, high: float | None = None,
    requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False, memory_format: Any = None,
) -> Any:  # fmt: skip
    """Numbers that are equally likely from `low` to `high`, or to before it: from -9 to 9, if nothing is said."""
    size = [*shape[0]] if len(shape) == 1 and isinstance(shape[0], tuple | list) else [*shape]
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got {noncontiguous=} and {memory_format=}"
        )
    floats = dtype.is_floating_point
    if requires_grad and not floats:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    apart = noncontiguous and math.prod(size) > 1
    if apart:
        size[-1] *= 2
    start, stop = _bounds(dtype, low, high)
    if floats:
        made = factories.empty(size, dtype=dtype, device=device).uniform_(start, stop)
    else:
        made = randint(int(start), int(stop), tuple(size), dtype=dtype, device=device)
    made = made[..., 1::2] if apart else made
    made = made if memory_format is None else made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = dtypes.finfo(dtype).tiny if floats else 1
    return made.requires_grad_() if requires_grad else made


def _bounds(dtype: Any, low: float | None, high: float | None) -> tuple[float, float]:
    """Between what numbers of a dtype are drawn. Raises ValueError for none, or for some that it does not have."""
    floats, truths = dtype.is_floating_point, dtype.name == "bool"
    usual: tuple[float, float] = (0, 2) if truths else (-9, 9) if floats else (-9, 10)
    low, high = usual[0] if low is None else low, usual[1] if high is None else high
    whole: tuple[float, float] = (0, 2)
    if not truths:
        info: Any = (dtypes.finfo if floats else dtypes.iinfo)(dtype)
        whole = (info.min, info.max + (not floats and dtype.name != "int64"))
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and floats:
        warnings.warn(NO_RANGE, FutureWarning, stacklevel=users_level())
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < whole[0] or low >= whole[1]:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
            f"[{whole[0]}, {whole[1]})"
        )
    low, high = (min(max(one, whole[0]), whole[1]) for one in (low, high))
    return (low, high) if floats else (math.ceil(low), math.ceil(high))


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True,
    msg: str = "",
) -> None:  # fmt: skip
    """`assert_close`, as it was called."""
    __tracebackhide__ = True
    warnings.warn(OLD, FutureWarning, stacklevel=users_level())
    one = actual if is_tensor(actual) else factories.tensor(actual)
    other = expected if is_tensor(expected) else factories.tensor(expected, dtype=one.dtype)
    if rtol is None and atol is None:
        both = [OLDER.get(each.dtype.name, (0.0, 0.0)) for each in (one, other)]
        rtol, atol = (max(pair) for pair in zip(*both, strict=True))
    assert_close(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)
