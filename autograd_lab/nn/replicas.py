"""`DataParallel`, as it is without a GPU: the module itself, one step further down."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any

from autograd_lab.nn.module import Module


class DataParallel(Module):
    """Calls the module that it is given; with GPUs, PyTorch would split the batch between them."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the module gives."""
        return self.module(*inputs, **kwargs)


def repeated(times: int) -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a tuple of one number, and of a sequence the same as a tuple."""

    def tuple_of(given: Any) -> tuple[Any, ...]:
        return tuple(given) if isinstance(given, tuple | list) else tuple(repeat(given, times))

    return tuple_of


def each_repeated(sizes: Any, times: int) -> tuple[Any, ...]:
    """Sizes in the order of `F.pad`: the last one first, each so many times."""
    return tuple(size for size in reversed(sizes) for _ in range(times))
