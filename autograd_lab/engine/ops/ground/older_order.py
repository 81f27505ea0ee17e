"""Ten ops in the order that early PyTorch had: a number before the tensor that it multiplies, as `x.add_(2, y)`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from autograd_lab.engine.core.variable import is_tensor

F = TypeVar("F", bound=Callable[..., Any])

TENSORS = {
    "add": ("other",), "sub": ("other",), "addcmul": ("tensor1", "tensor2"), "addcdiv": ("tensor1", "tensor2"),
    "addmm": ("mat1", "mat2"), "addmv": ("mat", "vec"), "addr": ("vec1", "vec2"),
    "addbmm": ("batch1", "batch2"), "baddbmm": ("batch1", "batch2"),
}  # fmt: skip
"""What comes after the first tensor."""
FACTORS: dict[str, tuple[str, ...]] = {
    "add": ("alpha",),
    "sub": ("alpha",),
    "addcmul": ("value",),
    "addcdiv": ("value",),
}
"""The numbers; of the others, `beta` or both `beta` and `alpha`."""
DEPRECATED = (
    "This overload of {0} is deprecated:\n\t{0}({1})\n"
    "Consider using one of the following signatures instead:\n\t{0}({2})"
)


def in_older_order(function: F) -> F:
    """The function, which takes its arguments in the older order, too."""
    usual = 1 + len(TENSORS[function.__name__.rstrip("_")])

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if len(args) > usual and not named:
            args, named = _as_today(function.__name__, args, 3)
        return function(*args, **named)

    return cast("F", call)


def again(function: Callable[..., Any], *args: Any) -> Any:
    """What a function gives for arguments in the older order. Raises TypeError for any others."""
    args, named = _as_today(function.__name__, args, 4)
    if not named:
        raise TypeError(f"{function.__name__}() takes 2 positional arguments but {len(args)} were given")
    return function(*args, **named)


def _as_today(name: str, args: tuple[Any, ...], level: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments in the older order as tensors and named numbers, with a warning; others as they are."""
    op = name.rstrip("_")
    after, names = TENSORS[op], FACTORS.get(op, ("beta", "alpha"))
    before, operands = args[: -len(after)], args[-len(after) :]
    numbers = [one for one in before if isinstance(one, int | float)]
    tensors = [one for one in before if is_tensor(one)]
    if len(tensors) != 1 or not 0 < len(numbers) <= len(names) or not all(map(is_tensor, operands)):
        return args, {}
    of_method = is_tensor(before[0])
    if op in FACTORS and not of_method:
        return args, {}
    named = dict(zip(names, numbers, strict=False))
    warnings.warn(_deprecated(name, tuple(named), of_method), UserWarning, stacklevel=level)
    return (*tensors, *operands), named


def _deprecated(name: str, names: tuple[str, ...], of_method: bool) -> str:
    """What PyTorch says of the older order, of a method or of a function."""
    op = name.rstrip("_")
    tensors = [f"Tensor {each}" for each in TENSORS[op]]
    numbers = [f"Number {each}" for each in names]
    today = [*tensors, "*", *(f"Number {each} = 1" for each in FACTORS.get(op, ("beta", "alpha")))]
    if of_method:
        return DEPRECATED.format(name, ", ".join(numbers + tensors), ", ".join(today))
    older = [numbers[0], "Tensor input", *numbers[1:], *tensors, "*", "Tensor out = None"]
    return DEPRECATED.format(name, ", ".join(older), ", ".join(["Tensor input", *today, "Tensor out = None"]))
