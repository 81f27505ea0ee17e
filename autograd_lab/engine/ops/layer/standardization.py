"""Normalisation: elements brought to mean 0 and variance 1. Here is what all kinds of it compute, both directions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply_many
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.kernels.cascaded import ROWS_FOR_DOT
from autograd_lab.engine.numbers.dtypes import F32, Array
from autograd_lab.engine.ops.ground import formulas

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push

Axes = tuple[int, ...]
Shape = tuple[int, ...]


class Grid:
    """How the elements are seen: in which shape, which dimensions share a mean, and which shape weights have there.

    `kept` is the shape in which PyTorch keeps means and scales, `given` the one in which weights come.
    """

    __slots__ = ("axes", "column", "count", "given", "kept", "others", "shape", "weights")

    def __init__(self, shape: Shape, axes: Axes, weights: Shape, kept: Shape, given: Shape) -> None:
        self.shape, self.axes, self.weights, self.kept, self.given = shape, axes, weights, kept, given
        self.count = math.prod(shape[axis] for axis in axes)
        self.column = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
        self.others = tuple(axis for axis, size in enumerate(weights) if size == 1)

    def mean(self, x: Any) -> Any:
        """The mean of what belongs together."""
        return formulas.over(self.sum(x), self.count or 1)

    def mean_of_squares(self, x: Array) -> Array:
        """The mean of the squares of what belongs together; of nothing it is no number."""
        total = self.sum_of_products(x, x)
        return np.asarray(total / self.count if self.count else total + np.nan)

    def sum(self, x: Any) -> Any:
        """The sum of what belongs together."""
        if isinstance(x, Variable):
            return x.sum(self.axes, True)
        if self.axes == (0, 2) and x.dtype.kind == "f":
            return np.einsum("nci->c", x)[None, :, None]
        if self.axes == (1,) and x.shape[1] <= ROWS_FOR_DOT:
            return x.dot(np.ones(x.shape[1], x.dtype))[:, None]
        return x.sum(axis=self.axes, keepdims=True)

    def sum_of_products(self, x: Any, y: Any) -> Any:
        """The sum of products of what belongs together."""
        if isinstance(x, Variable):
            return self.sum(x * y)
        if self.axes == (0, 2) and x.dtype.kind == "f":
            return np.einsum("nci,nci->c", x, y)[None, :, None]
        return np.vecdot(x, y)[:, None] if self.axes == (1,) and x.shape[1] <= ROWS_FOR_DOT else self.sum(x * y)

    def per_weight(self, x: Any) -> Any:
        """The sum of what each weight was used for."""
        if self.others == (0, 2) and not isinstance(x, Variable) and x.dtype.kind == "f":
            return np.einsum("nci->c", x)
        if self.others == (0,) and not isinstance(x, Variable) and x.ndim == 2 and x.dtype.kind == "f":
            return formulas.sum_to(x, x.shape[1:]).reshape(self.given)
        return formulas.total(x, self.others, True).reshape(self.given)


class Normalized(Node):
    """z = w x̂ + b for x̂ = (x - mean) s, s = 1 / √(variance + eps).

    With ĝ = w g: dL/dx = s (ĝ - mean ĝ - x̂ mean(ĝ x̂)), dL/dw = Σ g x̂ and dL/db = Σ g. If mean and variance are given
    and not those of x, dL/dx = s ĝ.
    """

    differentiable = 3
    again: ClassVar[Any] = None
    __slots__ = ("_grid", "_own", "eps")
    tangent = "own"

    def normalized(
        self, x: Array, w: Array | None, b: Array | None, grid: Grid, eps: float, given: Any = None, kind: Any = None
    ) -> Any:
        """z, the means, the variances and the scales s; `given` are mean and variance, if x is not to tell them.

        Of half precision the last three are as the weights are, or of the dtype `kind`, in which they are used then.
        """
        if x.dtype.itemsize == 2:
            z, *rest = self.normalized(x.astype(F32), w, b, grid, eps, given, kind)
            kind = kind or dtype_of_weights(x, w, b)
            return (z.astype(x.dtype), *(np.asarray(one, kind) for one in rest))
        self._grid, self.eps, self._own = grid, eps, given is None
        view = x.reshape(grid.shape)
        mean = grid.mean(view) if given is None else given[0].reshape(grid.column)
        z = view - mean
        variance = grid.mean_of_squares(z) if given is None else given[1].reshape(grid.column)
        scale = 1 / np.sqrt(variance + eps)
        if kind is not None and kind is not x.dtype:
            mean, scale = (one.astype(kind).astype(x.dtype) for one in (mean, scale))
            z = view - mean
        if w is not None and grid.weights == grid.column:
            z *= scale * w.reshape(grid.weights)
        else:
            z *= scale
            if w is not None:
                z *= w.reshape(grid.weights)
        if b is not None:
            z += b.reshape(grid.weights)
        return z.reshape(x.shape), mean.reshape(grid.kept), variance, scale.reshape(grid.kept)

    def sent(self, g: Any, x: Any, w: Any, mean: Any, scale: Any, operands: tuple[Any, ...]) -> Any:
        """The gradients that are needed; `operands` are those of the node that is recorded in a graph of gradients."""
        needs = [edge[0] is not None for edge in self.next_functions]
        if isinstance(g, Variable):
            found = apply_many(self.again, operands, self, mean._array, scale._array)
            return tuple(one if need else None for one, need in zip(found, needs, strict=True))
        if x.dtype.itemsize == 2:
            kinds = [x.dtype, *[(x if w is None else w).dtype] * 2]
            g, x, w, mean, scale = (None if one is None else one.astype(F32) for one in (g, x, w, mean, scale))
            found = self.sent(g, x, w, mean, scale, operands)
            return tuple(None if one is None else one.astype(kind) for one, kind in zip(found, kinds, strict=True))
        return self.found(g, x, w, mean, scale, needs)

    def found(
        self, g: Array, x: Array, w: Array | None, mean: Array, scale: Array, needs: list[bool]
    ) -> tuple[Array | None, ...]:
        """The three gradients, computed."""
        grid = self._grid
        mean, scale = mean.reshape(grid.column), scale.reshape(grid.column)
        return _gradients(grid, self._own, g, x, w, (x.reshape(grid.shape) - mean) * scale, scale, needs)

    def pushed(self, push: Push) -> Sequence[Any]:
        """For z = w x̂ + b: dx̂ = s (dx - mean dx - x̂ mean(x̂ dx)), where mean and scale s are those of x itself."""
        grid, (x, w) = self._grid, push.operands[:2]
        dx, dw, db = push.tangents[:3]
        xhat, scale = self._standardized(x, push.operands)
        parts = [one.reshape(grid.shape) for one in push.idle(0, 1)]
        if dx is not None:
            moved = dx.reshape(grid.shape)
            if self._own:
                moved = moved - grid.mean(moved) - xhat * grid.mean(xhat * moved)
            parts.append(moved * scale if w is None else moved * scale * w.reshape(grid.weights))
        parts += [] if dw is None else [xhat * dw.reshape(grid.weights)]
        parts += [] if db is None else [db.reshape(grid.weights).expand(grid.shape)]
        return (formulas.added(parts).reshape(tuple(x.shape)),)

    def _standardized(self, x: Any, operands: Any) -> tuple[Any, Any]:
        """x̂ and s, as tensors."""
        grid, seen = self._grid, x.reshape(self._grid.shape)
        if self._own:
            centred = seen - grid.mean(seen)
            scale = formulas.plus(grid.mean(centred * centred), self.eps).rsqrt()
        else:
            mean, variance = (one.reshape(grid.column) for one in operands[3:5])
            centred, scale = seen - mean, formulas.plus(variance, self.eps).rsqrt()
        return centred * scale, scale


def dtype_of_weights(x: Array, *weights: Array | None) -> Any:
    """The dtype of weights, or of x if there are none."""
    return next((one.dtype for one in weights if one is not None), x.dtype)


def _gradients(
    grid: Grid, own: bool, g: Array, x: Array, w: Array | None, xhat: Array, scale: Array, needs: list[bool]
) -> tuple[Array | None, ...]:
    shape, g = x.shape, g.reshape(grid.shape)
    g, to_x = g if w is None else g.astype(w.dtype, copy=False), None
    if needs[0]:
        to_x = g if w is None else g * w.reshape(grid.weights)
        if own:
            to_x = to_x - grid.mean(to_x) - xhat * (grid.sum_of_products(to_x, xhat) / grid.count)
        to_x = (to_x * scale).reshape(shape).astype(x.dtype, copy=False)
    return to_x, grid.per_weight(g * xhat) if needs[1] else None, grid.per_weight(g) if needs[2] else None


class NormalizedAgain(Node):
    """The three gradients of a `Normalized` op, differentiated again in g, x and w.

    Let h, v and u come in for them, and A = Σ h ĝ - Σ h Σ ĝ / n - Σ h x̂ Σ ĝ x̂ / n, so that Σ h dL/dx = s A. What counts
    is Σ s A + v Σ g x̂ + u Σ g. In it, g and w stand as in dL/dx; x̂ gets q = v g - s (h Σ ĝ x̂ + ĝ Σ h x̂) / n, which goes
    back to x as through the op itself; and s, of which ds/dx = -s² x̂ / n, gets A.
    """

    many = True
    weight_at: ClassVar[int] = 2
    __slots__ = ("_grid", "_mean", "_own", "_scale", "eps")

    def forward(self, *given: Any) -> tuple[Array | None, ...]:
        *arrays, first, mean, scale = given
        g, x, w = arrays[0], arrays[1], arrays[self.weight_at]
        grid = self._grid = first._grid
        self._own, self.eps = first._own, first.eps
        self._mean, self._scale = mean.reshape(grid.column), scale.reshape(grid.column)
        found: tuple[Array | None, ...] = first.found(g, x, w, mean, scale, [True] * 3)
        return found

    def _standard(self, x: Any) -> tuple[Any, Any]:
        """x̂ and s; on tensors taken anew from x, for gradients of their own."""
        grid = self._grid
        seen = x.reshape(grid.shape)
        if not isinstance(x, Variable):
            return (seen - self._mean) * self._scale, self._scale
        if not self._own:
            return (seen - wrap(self._mean)) * wrap(self._scale), wrap(self._scale)
        centred = seen - grid.mean(seen)
        scale = formulas.plus(grid.mean(centred * centred), self.eps).rsqrt()
        return centred * scale, scale

    def backward(self, sent: Any, g: Any, x: Any, w: Any) -> Any:
        grid, shape = self._grid, tuple(x.shape)
        xhat, s = self._standard(x)
        g = g.reshape(grid.shape)
        h, v, u = sent
        h = g * 0 if h is None else h.reshape(grid.shape)
        weight, v, u = (None if one is None else one.reshape(grid.weights) for one in (w, v, u))
        sloped = g if weight is None else g * weight
        through, to_x = self._brought_back(h, sloped, xhat, s) if self._own else (s * h, None)
        if v is not None:
            part = self._through(v * g, xhat, s) if self._own else s * v * g
            to_x = part if to_x is None else to_x + part
        to_g = through if weight is None else through * weight
        to_g = to_g if v is None else to_g + v * xhat
        to_g = to_g if u is None else to_g + u
        result: list[Any] = [None] * len(self.inputs)
        result[0], result[1] = to_g.reshape(shape), None if to_x is None else to_x.reshape(shape)
        if w is not None:
            result[self.weight_at] = grid.per_weight(through * g)
        return tuple(result)

    def _through(self, q: Any, xhat: Any, s: Any) -> Any:
        """What x gets if x̂ gets q."""
        grid = self._grid
        return s * (q - grid.mean(q) - xhat * formulas.over(grid.sum_of_products(q, xhat), grid.count))

    def _brought_back(self, h: Any, sloped: Any, xhat: Any, s: Any) -> tuple[Any, Any]:
        """What ĝ and x get of Σ s A."""
        grid, n = self._grid, self._grid.count
        hx, gx = grid.sum_of_products(h, xhat), grid.sum_of_products(sloped, xhat)
        form = grid.sum_of_products(h, sloped) - formulas.over(grid.sum(h) * grid.sum(sloped) + hx * gx, n)
        q = -s * formulas.over(h * gx + sloped * hx, n)
        through = s * (h - grid.mean(h) - xhat * formulas.over(hx, n))
        return through, self._through(q, xhat, s) - form * s * s * formulas.over(xhat, n)
