"""Functions of `torch` that stand below those of `nn.functional`: the same ops, with arguments as C++ has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_lab.engine.ops.layer import pooling

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["max_pool1d_with_indices"]


def max_pool1d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """The greatest that a window sees along one dimension, and where it stands."""
    return pooling.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)
