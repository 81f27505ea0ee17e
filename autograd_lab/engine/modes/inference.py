"""Inference tensors: what is made inside `inference_mode` counts no writes, and so can never be saved for backward."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, SupportsIndex

__all__ = ["is_inference", "is_inference_mode_enabled"]

NOT_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
NOT_COUNTED = "Inference tensors do not track version counter."
NOT_WRITTEN = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
NO_GRADIENT = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."

inside: ContextVar[bool] = ContextVar("inference_mode", default=False)
is_inference_mode_enabled = inside.get

users = 0
"""How many `with` blocks are in inference mode, in all threads: while there are none, nobody asks further."""


class InferenceCell(list[Any]):
    """In the place of a version counter. Whoever saves a tensor reads its version, and so is refused."""

    __slots__ = ()

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        raise RuntimeError(NOT_SAVED)

    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:
        """Writes are not counted."""


class DetachedCell(InferenceCell):
    """That of `x.data` and `x.detach()` of an inference tensor: it may be written to, and counts; its views do not."""

    __slots__ = ("writes",)

    def __init__(self) -> None:
        super().__init__([0])
        self.writes = 0


def new_cell() -> list[Any]:
    """The version counter of a new tensor."""
    return InferenceCell([0]) if inside.get() else [0]


def check_write(tensor: Any) -> None:
    """Raise RuntimeError if an inference tensor was written to out of its mode: after the fact, as PyTorch does."""
    if isinstance(tensor._cell, DetachedCell):
        tensor._cell.writes += 1
    elif not inside.get():
        raise RuntimeError(NOT_WRITTEN)


def check_grad_wanted(tensor: Any) -> None:
    """Raise RuntimeError if an inference tensor is to require grad out of its mode, also where it does already."""
    if is_inference(tensor) and not inside.get():
        raise RuntimeError(NO_GRADIENT)


def is_inference(tensor: Any) -> bool:
    """True if the tensor was made in inference mode."""
    return isinstance(tensor._cell, InferenceCell)
