"""The rules of ops that are like no others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.forward.push import Push, added, rule_of
from autograd_lab.engine.ops.ground import formulas


@rule_of("LogSoftmax")
def log_softmax(push: Push) -> Sequence[Any]:
    """dz = dx - Σ e^z dx."""
    tangent, out = push.tangents[0], push.outputs[0]
    return (tangent - (tangent * out.exp()).sum(push.node.dim, True),)


@rule_of("SoftmaxBackwardData")
def softmax_slope(push: Push) -> Sequence[Any]:
    """For z = s (g - Σ g s): dz = s (dg - Σ dg s) + ds (g - Σ g s) - s Σ g ds."""
    (g, s), (dg, ds), dim = push.operands[:2], push.tangents[:2], push.node.dim
    parts = [] if dg is None else [push.put(0, dg)[0]]
    if ds is not None:
        parts += [ds * (g - (g * s).sum(dim, True)), -s * (g * ds).sum(dim, True)]
    return (added(parts),)


@rule_of("Glu")
def glu(push: Push) -> Sequence[Any]:
    """For z = a σ(b): dz = da σ(b) + a σ(b) (1 - σ(b)) db."""
    (a, b), (da, db) = (one.chunk(2, push.node.dim) for one in (push.operands[0], push.tangents[0]))
    gate = b.sigmoid()
    return (da * gate + a * gate * (1 - gate) * db,)


@rule_of("Convolution")
def convolution(push: Push) -> Sequence[Any]:
    """A product with a bias added to each channel."""
    x, w, _ = push.operands
    dx, dw, db = push.tangents
    parts = [push.again([dx, w, None])[0]] if dx is not None else []
    parts += [push.again([x, dw, None])[0]] if dw is not None else []
    if db is not None:
        shape = push.outputs[0]._array.shape
        parts.append(db.view(1, -1, *(1,) * (len(shape) - 2)).expand(shape))
    return (added(parts),)


@rule_of("MaxPool2DWithIndices AdaptiveMaxPool2D")
def pooled(push: Push) -> Sequence[Any]:
    """The tangents of the elements that were the greatest."""
    out, positions = push.outputs[:2]
    return push.tangents[0].flatten(-2).gather(-1, positions.flatten(-2)).view_as(out), None


@rule_of("NativeBatchNorm NativeLayerNorm NativeGroupNorm")
def normalized(push: Push) -> Sequence[Any]:
    """For z = w x̂ + b: dx̂ = s (dx - mean dx - x̂ mean(x̂ dx)), where mean and scale s are those of x itself."""
    node, grid = push.node, push.node._grid
    x, w = push.operands[0], push.operands[1]
    dx, dw, db = push.tangents[:3]
    shape = tuple(x.shape)
    seen = x.reshape(grid.shape)
    if node._own:
        centred = seen - grid.mean(seen)
        scale = formulas.plus(grid.mean(centred * centred), node.eps).rsqrt()
    else:
        mean, variance = (one.reshape(grid.column) for one in push.operands[3:5])
        centred, scale = seen - mean, formulas.plus(variance, node.eps).rsqrt()
    xhat = centred * scale
    parts = []
    if dx is not None:
        moved = dx.reshape(grid.shape)
        if node._own:
            moved = moved - grid.mean(moved) - xhat * grid.mean(xhat * moved)
        parts.append(moved * scale if w is None else moved * scale * w.reshape(grid.weights))
    parts += [] if dw is None else [xhat * dw.reshape(grid.weights)]
    parts += [] if db is None else [db.reshape(grid.weights).expand(grid.shape)]
    return (added(parts).reshape(shape),)


@rule_of("LinalgDet LinalgSlogdet")
def determinant(push: Push) -> Sequence[Any]:
    """The cofactors times the tangents, added up; the sign stays what it is."""
    out = push.outputs[-1]
    ones: Any = wrap(np.ones_like(out._array))
    sent = push.pulled(0, [None, ones] if push.node.many else ones)
    return [None] * (len(push.outputs) - 1) + [(sent * push.tangents[0]).sum((-2, -1))]


@rule_of("LinalgSolveEx")
def solved(push: Push) -> Sequence[Any]:
    """For A X = B: dX = A⁻¹ (dB - dA X)."""
    (da, db), out = push.tangents, push.outputs[0]
    parts = [] if db is None else [db]
    if da is not None:
        is_vector = push.operands[1].dim() < da.dim()
        parts.append(-(da @ out.unsqueeze(-1)).squeeze(-1) if is_vector else -(da @ out))
    return (push.put(1, added(parts))[0],)


@rule_of("LinalgInvEx")
def inverse(push: Push) -> Sequence[Any]:
    """dA⁻¹ = -A⁻¹ dA A⁻¹."""
    out = push.outputs[0]
    return (-(out @ push.tangents[0] @ out),)
