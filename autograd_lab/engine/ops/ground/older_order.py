"""Ten ops in the order that early PyTorch had: a number before the tensor that it multiplies, as `x.add_(2, y)`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar, cast

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.errors.once import warn_once

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
            args, named = _as_today(function.__name__, args)
        return function(*args, **named)

    return cast("F", call)


def again(function: Callable[..., Any], *args: Any) -> Any:
    """What a function gives for arguments in the older order. Raises TypeError for any others."""
    args, named = _as_today(function.__name__, args)
    if not named:
        raise TypeError(f"{function.__name__}() takes 2 positional arguments but {len(args)} were given")
    return function(*args, **named)


def _as_today(name: str, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments in the older order as tensors and named numbers, with a warning; others as they are."""
    op = name.rstrip("_")
    after, names = TENSORS[op], FACTORS.get(op, ("beta", "alpha"))
    before, operands = args[: -len(after)], args[-len(after) :]
    numbers = [one for one in before if isinstance(one, int | float)]
    tensors = [one for one in before if is_tensor(one)]
    if len(tensors) != 1 or not 0 < len(numbers) <= len(names) or not all(map(is_tensor, operands)):
        return args, {}
    of_method = not _is_function(sys._getframe(2))
    if is_tensor(before[0]) != (of_method or op in FACTORS):
        return args, {}
    named = dict(zip(names, numbers, strict=False))
    warn_once(_deprecated(name, tuple(named), of_method), "older order")
    return (*tensors, *operands), named


def _is_function(frame: FrameType | None, most: int = 4) -> bool:
    """Whether the engine was called by a function of `torch`, and not by a method."""
    while frame is not None and most and not (found := frame.f_code.co_qualname.startswith("accepting_out.")):
        frame, most = frame.f_back, most - 1
    return frame is not None and most > 0 and found


def _deprecated(name: str, names: tuple[str, ...], of_method: bool) -> str:
    """What PyTorch says of the older order, of a method or of a function."""
    op = name.rstrip("_")
    tensors = [f"Tensor {each}" for each in TENSORS[op]]
    numbers = [f"Number {each}" for each in names]
    today = [*tensors, "*", *(f"Number {each} = 1" for each in FACTORS.get(op, ("beta", "alpha")))]
    if of_method:
        return DEPRECATED.format(name, ", ".join(numbers + tensors), ", ".join(today))
    older = ["Tensor input", *numbers] if op in FACTORS else [numbers[0], "Tensor input", *numbers[1:]]
    older += [*tensors, "*", "Tensor out = None"]
    return DEPRECATED.format(name, ", ".join(older), ", ".join(["Tensor input", *today, "Tensor out = None"]))
