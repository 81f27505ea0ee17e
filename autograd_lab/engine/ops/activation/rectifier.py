"""relu, and the gradient that all rectifiers share."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import apply2, function
from autograd_lab.engine.dtypes import BOOL, Array
from autograd_lab.engine.node import Node
from autograd_lab.engine.variable import Variable


class Zeros(dict[Any, Array]):
    """A 0-d zero of each dtype, made when it is first asked for."""

    def __missing__(self, numpy: Any) -> Array:
        self[numpy] = np.zeros((), numpy)
        return self[numpy]


ZERO = Zeros()
"""A 0-d zero of each dtype: numpy mixes arrays with arrays twice as fast as arrays with numbers."""


class ReluBackward0(Node):
    """z = max(x, 0), so dz/dx = 1 where z > 0, else 0."""

    saves = ("result",)

    def forward(self, x: Array) -> Array:
        if x.dtype is BOOL:
            raise RuntimeError("Boolean inputs not supported for relu")
        return np.maximum(x, ZERO[x.dtype], out=...)

    def backward(self, g: Any, z: Any) -> Any:
        return _passed(g, z)


def _passed(g: Any, z: Any) -> Any:
    if isinstance(g, Variable):
        return apply2(ThresholdBackwardBackward0, g, z)
    return (z > ZERO[z.dtype]).astype(z.dtype) * g  # a product with booleans takes half as long again


class ThresholdBackwardBackward0(Node):
    """h = g where z > 0, else 0: the gradient of relu, linear in g and flat in z."""

    inputs = ("grad_output", "self")
    saves = ("self",)
    __slots__ = ("threshold",)

    def forward(self, g: Array, z: Array, threshold: float = 0) -> Array:
        self.threshold = threshold
        return np.multiply(g, z > threshold, out=...)

    def backward(self, h: Any, z: Any) -> Any:
        if isinstance(h, Variable):
            return apply2(ThresholdBackwardBackward0, h, z, self.threshold), either.zeros_like(h)
        return h * (z > self.threshold), either.zeros_like(h)


relu = function(ReluBackward0)
