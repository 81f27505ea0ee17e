"""Conditions that a program asks for: `torch._check` and its kin raise where one does not hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.engine.numbers.dtypes import bool_ as torch_bool

Message = Callable[[], object] | None
UNTOLD = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)
FOR_TENSORS = (
    "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all "
    "elements are true."
)


def _check_with(error_type: type[Exception], cond: bool, message: Message) -> None:
    """Raise an error of this type, with what `message` returns, unless the condition is True."""
    if not isinstance(cond, bool):
        raise TypeError(FOR_TENSORS if hasattr(cond, "_array") else f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(UNTOLD if message is None else str(message()))


def _check(cond: bool, message: Message = None) -> None:
    """Raise RuntimeError unless the condition is True."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: bool, message: Message = None) -> None:
    """Raise IndexError unless the condition is True."""
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: Message = None) -> None:
    """Raise ValueError unless the condition is True."""
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: Message = None) -> None:
    """Raise TypeError unless the condition is True."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: Message = None) -> None:
    """Raise NotImplementedError unless the condition is True."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise an error of this type unless all elements are True."""
    if not hasattr(cond, "_array"):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not torch_bool:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond._array.all()), message)


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    """Raise RuntimeError unless all elements are True."""
    _check_tensor_all_with(RuntimeError, cond, message)
