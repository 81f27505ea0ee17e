"""Forward mode by hand: dual numbers, which are a tensor and its tangent, inside a `dual_level`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.modes.grad_mode import Mode

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

NESTED = "Nested forward mode AD is not supported at the moment"
NO_LEVEL = "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."

_current_level = -1


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns; the tangent is None for a tensor that has none."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Begin a level. Raises RuntimeError inside another one."""
    global _current_level
    if forward.level:
        raise RuntimeError(NESTED)
    forward.enter()
    _current_level += 1
    return _current_level


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level: all its tangents are gone. Raises RuntimeError if there is none, or another one."""
    global _current_level
    level = _current_level if level is None else level
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    if level != _current_level:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    forward.leave()
    _current_level = level - 1


class dual_level(Mode):
    """Inside, tensors can have tangents; also a decorator."""

    def __enter__(self) -> Any:
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()


_is_fwd_grad_enabled = forward.is_enabled


class _set_fwd_grad_enabled(Mode):
    """Inside, ops work out tangents or not."""

    def __new__(cls, mode: bool) -> Any:
        return object.__new__(cls)

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._outside = forward.is_enabled()
        forward.set_enabled(mode)

    def __enter__(self) -> None:
        """It is switched already."""

    def __exit__(self, *_: object) -> None:
        forward.set_enabled(self._outside)

    def clone(self) -> Any:
        return _set_fwd_grad_enabled(self.mode)


def _number(level: int | None) -> int:
    return (_current_level if level is None else level) + 1


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A view of the tensor that has this tangent.

    Raises RuntimeError for a tangent of another size or a tensor that has one, ValueError for what is not floating.
    """
    at = _number(level)
    if at <= 0:
        raise RuntimeError(NO_LEVEL)
    for name, one in {"primal": tensor, "tangent": tangent}.items():
        if not one.is_floating_point():
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {one.dtype}")
    if forward.tangent_of(tensor, at) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{at - 1} is not supported."
        )
    if forward.tangent_of(tangent, at) is not None:
        raise RuntimeError(
            f"Setting a forward grad that itself has a forward gradient at the same level{at - 1} is not supported."
        )
    dual = tensor.view_as(tensor)
    if forward.is_enabled():
        alike = tensor.shape != tangent.shape or _memory(tensor) == _memory(tangent)  # another size is refused there
        forward.set_tangent(dual, at, tangent if alike else _placed(tangent, tensor))
    return dual


def _memory(tensor: Any) -> tuple[int, int]:
    """How many elements the memory has that a tensor is in, and where there it begins."""
    return tensor.untyped_storage().nbytes() // tensor.element_size(), tensor.storage_offset()


def _placed(tangent: Any, like: Any) -> Any:
    """A copy of a tangent, in memory of its own of which it is the same part as a tensor is of its own."""
    whole = np.zeros(_memory(like)[0], tangent._array.dtype)
    copy: Any = wrap(whole).as_strided(like.shape, like.stride(), like.storage_offset())
    return copy.copy_(tangent)


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor without its tangent, and the tangent."""
    at = _number(level)
    if at <= 0:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(forward.without_tangent(tensor, at), forward.tangent_of(tensor, at))
