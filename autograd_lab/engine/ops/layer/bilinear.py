"""Bilinear maps: z_k = Σ x_i W_kij y_j + b_k."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.numbers.dtypes import F32, Array
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import Dims

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class TrilinearBackward0(Node):
    """The sum, along some dimensions, of the product of three; each gradient is such a sum of the other two with g."""

    inputs = ("i1", "i2", "i3")
    saves = inputs
    op = "_trilinear"
    tangent = "product"
    __slots__ = ("expand1", "expand2", "expand3", "sumdim")

    def forward(self, a: Array, b: Array, c: Array, *dims: Dims) -> Array:
        self.expand1, self.expand2, self.expand3, self.sumdim = dims
        return _sum(a, b, c, *dims)

    def backward(self, g: Any, a: Any, b: Any, c: Any) -> Any:
        first, second, third, summed = self.expand1, self.expand2, self.expand3, self.sumdim
        ways = (
            ((g, b, c), (summed, second, third, first)),
            ((a, g, c), (first, summed, third, second)),
            ((a, b, g), (first, second, summed, third)),
        )
        again = isinstance(g, Variable)
        return tuple(
            None if edge[0] is None else applyn(type(self), three, *dims) if again else _sum(*three, *dims)
            for edge, (three, dims) in zip(self.next_functions, ways, strict=True)
        )


def _sum(a: Array, b: Array, c: Array, *dims: Dims) -> Array:
    """Dimensions are counted as if each of the three had one element along those that it lacks."""
    if a.dtype.itemsize == 2:
        first, second, third = (np.expand_dims(one, lack) for one, lack in zip((a, b, c), dims[:3], strict=True))
        return _sum_of_halves(first, second, third, dims)
    ndim = a.ndim + len(dims[0])
    here = [[at for at in range(ndim) if at not in lacking] for lacking in dims]
    with np.errstate(all="ignore"):  # numpy's function is no ufunc, which would warn of infinities from here
        return np.ascontiguousarray(np.einsum(a, here[0], b, here[1], c, here[2], here[3], optimize=True))


def _sum_of_halves(a: Array, b: Array, c: Array, dims: tuple[Dims, ...]) -> Array:
    """The same, output by output, where each product of two and each sum is rounded."""
    kind, summed = a.dtype, dims[3]
    first, second = (tuple(at for at in summed if (at in dims[2]) is alone) for alone in (True, False))
    parts = []
    for output in range(max(one.shape[1] for one in (a, b, c))):
        x, y, z = (one[:, min(output, one.shape[1] - 1)][:, None].astype(F32) for one in (a, b, c))
        pair = np.sum(x * y, first, keepdims=True).astype(kind).astype(F32)
        parts.append(np.sum(pair * z, second, keepdims=True).astype(kind))
    whole = reduce(np.add, parts) if 1 in summed else np.concatenate(parts, 1)
    return np.ascontiguousarray(whole.squeeze(summed))


@composed
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """For each output k the sum of all products x_i y_j, times its weights of them, plus its bias."""
    only_tensors("bilinear", input1, input2, weight)
    _check(input1._array.shape, input2._array.shape, weight._array.shape, bias)
    first, second = (one.reshape(-1, one._array.shape[-1]) for one in (input1, input2))
    z: Any = applyn(TrilinearBackward0, (first, weight, second), (1, 3), (0,), (1, 2), (2, 3))
    z = z.reshape((*input1._array.shape[:-1], weight._array.shape[0]))
    return z if bias is None else z + bias


def _check(x: Dims, y: Dims, w: Dims, bias: Tensor | None) -> None:
    if len(x) != len(y):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(x)} and {len(y)}")
    for at, (one, other) in enumerate(zip(x[:-1], y[:-1], strict=True)):
        if one != other:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {at}: got {one} and {other}")
    for name, size, wanted in (("input1", x[-1], w[1]), ("input2", y[-1], w[2])):
        if size != wanted:
            raise RuntimeError(f"bilinear(): {name} size does not match weight size: got {size} but expected {wanted}")
    if bias is not None and bias._array.shape[0] != w[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected {w[0]}"
        )
