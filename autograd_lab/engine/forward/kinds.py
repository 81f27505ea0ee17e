"""The rules of most ops, which are of a kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.forward.push import RULES, Push, added, rule_of, zeros_like
from autograd_lab.engine.ops.ground import formulas


@rule_of("""
    Sum Sum:1 Mean Mean:1 Cumsum Trace Nansum Clone ToCopy View ReshapeAlias UnsafeView Alias T Transpose Permute
    Expand Squeeze Squeeze:1 Squeeze:2 Squeeze:3 Squeeze:4 Squeeze:5 T:1 Transpose:1 Unsqueeze Unsqueeze:1
    AsStrided AsStrided:1 Diagonal DiagEmbed Select Slice Index IndexSelect Gather Take MaskedSelect Unbind Split
    UnsafeSplit SplitWithSizes Cat Stack BlockDiag Flip Roll Rot90 Repeat Unfold Im2Col Col2Im Tril Triu IndexAdd
    IndexCopy IndexPut IndexPutImpl Scatter ScatterAdd MaskedScatter Put Embedding ReflectionPad1D ReflectionPad2D
    ReplicationPad1D ReplicationPad2D AvgPool2D AdaptiveAvgPool2D UpsampleNearest1D UpsampleNearest2D NllLoss
    NllLoss2D SelectBackward SliceBackward DiagonalBackward
""")
def linear(push: Push) -> Sequence[Any]:
    """The op itself, on tangents; operands without one count as zeros."""
    moving = push.operands[: push.node.differentiable]
    pairs = zip(moving, push.tangents, strict=False)
    parts = [(zeros_like(one) if _moves(one) else one) if tangent is None else tangent for one, tangent in pairs]
    found: Sequence[Any] = push.again([*parts, *push.operands[len(moving) :]])
    return found


RULES["Identity"] = RULES["DiagonalBackward0_copy"] = linear


def _moves(operand: Any) -> bool:
    return operand is not None and operand._array.dtype.kind in "fV"


@rule_of("""
    Add Add:1 Sub Sub:1 Rsub Rsub:1 Mul Mul:1 Div Div:1 Div:2 Neg Abs Pow Pow:1 Pow:2 Exp Exp2 Expm1 Log Log2 Log10
    Log1P Sqrt Rsqrt Reciprocal Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Atan2 Hypot Deg2Rad Rad2Deg
    Sinc Erf Erfc Erfinv Lgamma Digamma Polygamma Logit Sigmoid Relu LeakyRelu LeakyRelu:1 Elu Elu:1 Celu Celu:1 Gelu
    Silu Mish Softplus Softshrink Hardshrink Hardtanh Hardsigmoid Hardswish LogSigmoid Threshold Threshold:1 PreluKernel
    RreluWithNoise RreluWithNoise:1 Floor Ceil Round Round:1 Trunc Frac Sign Sgn Fmod Fmod:1 Remainder Remainder:1 Lerp
    Lerp:1 Addcmul Addcdiv Xlogy Xlogy:1 Xlogy:2 Logaddexp Logaddexp2 Copysign Copysign:1 NanToNum Maximum Minimum Fmax
    Fmin Clamp Clamp:1 ClampMin ClampMin:1 ClampMax ClampMax:1 Where MaskedFill Softmax SafeSoftmax Zero Fill:2 Copy
    Eq Eq:1 Ne Ne:1 Lt Lt:1 Le Le:1 Gt Gt:1 Ge Ge:1
""")
def diagonal(push: Push) -> Sequence[Any]:
    """Each element by itself: what the backward formula sends is the same, for a tangent in the place of a gradient.

    So it is for softmax, whose Jacobian is symmetric.
    """
    shape = push.outputs[0]._array.shape
    wide = [(at, one if one._array.shape == shape else one.expand(shape)) for at, one in push.given()]
    return (added([push.pulled(at, one) for at, one in wide]),)


@rule_of("""
    SigmoidBackward TanhBackward EluBackward GeluBackward HardshrinkBackward LeakyReluBackward LogSigmoidBackward
    SoftplusBackward SoftshrinkBackward HardtanhBackward HardswishBackward HardsigmoidBackward ThresholdBackward
    LogSoftmaxBackwardData
""")
def slope(push: Push) -> Sequence[Any]:
    """A gradient times a slope: linear in the one, element by element in the other."""
    return (added([push.put(0, one)[0] if at == 0 else push.pulled(at, one) for at, one in push.given()]),)


@rule_of("MseLossBackward SmoothL1LossBackward HuberLossBackward NllLossBackward NllLoss2DBackward")
def shared_slope(push: Push) -> Sequence[Any]:
    """The gradient of a loss: one number, shared among all elements, times their slopes."""
    return slope(push)


@rule_of("Mm Mv Dot Vdot Bmm LinalgCross")
def product(push: Push) -> Sequence[Any]:
    """(x + dx)(y + dy) - x y, but for what is of second order: dx y + x dy."""
    return (added([push.put(at, one)[0] for at, one in push.given()]),)


@rule_of("Addmm Addmv Addr Baddbmm Addbmm")
def added_product(push: Push) -> Sequence[Any]:
    """A product with something added: beta db + alpha (dx y + x dy)."""
    first, *rest = push.tangents
    nothing = zeros_like(push.operands[0])
    parts = [
        push.again([nothing, *(one if other == at else push.operands[other] for other in (1, 2))])[0]
        for at, one in enumerate(rest, 1)
        if one is not None
    ]
    if first is not None:
        parts.append(formulas.times(first.expand(push.outputs[0]._array.shape), push.node.beta))
    return (added(parts),)


@rule_of("ConstantPadNd Scatter:1 IndexFill MaskedFill:1 Fill:3 IndexFill:1")
def filled(push: Push) -> Sequence[Any]:
    """Linear, but for a number that is put somewhere: what comes of the tangent, less what comes of zeros."""
    nothing = [zeros_like(one) if _moves(one) else one for one in push.operands]
    moved = [zero if tangent is None else tangent for zero, tangent in zip(nothing, push.tangents, strict=True)]
    return (push.again(moved)[0] - push.again(nothing)[0],)


@rule_of("""
    Prod Prod:1 Norm:1 LinalgVectorNorm Var Std Logsumexp Max:1 Min:1 Amax Amin Median Nanmedian Dist VarMean StdMean
    Aminmax
""")
def reduction(push: Push) -> Sequence[Any]:
    """Each element reaches one of the result: the gradient of that one, times the tangent, added up."""
    return [_reduced(push, number) for number in range(len(push.outputs))]


def _reduced(push: Push, number: int) -> Any:
    out, node = push.outputs[number], push.node
    ones: Any = wrap(np.ones_like(out._array))
    if node.many:
        ones = [ones if other == number else None for other in range(len(push.outputs))]
    total = added([push.pulled(at, ones) * one for at, one in push.given()])
    if not out._array.ndim:
        return total.sum()
    dims = getattr(node, "dim", None)
    ndim = total._array.ndim
    dims = tuple(range(ndim)) if dims in (None, ()) else dims if isinstance(dims, tuple) else (dims,)
    return total.sum(dims, keepdim=bool(node.keepdim))


@rule_of("MseLoss SmoothL1Loss HuberLoss SoftMarginLoss BinaryCrossEntropy BinaryCrossEntropyWithLogits")
def loss(push: Push) -> Sequence[Any]:
    """Errors each for itself, or one number for all."""
    return diagonal(push) if push.node.reduction == 0 else reduction(push)


@rule_of("Max Min Kthvalue Median:1 Nanmedian:1 Mode Sort Sort:1 Topk Cummax Cummin")
def chosen(push: Push) -> Sequence[Any]:
    """Some elements, and their positions: the tangents of the same ones."""
    (_, tangent), positions, dim = push.given()[0], push.outputs[1], push.node.dim
    if positions._array.ndim < tangent._array.ndim:
        return tangent.gather(dim, positions.unsqueeze(dim)).squeeze(dim), None
    return tangent.gather(dim, positions), None


def nothing(push: Push) -> Sequence[Any]:
    """A truth value, written as a number: no small change of the operands changes it."""
    return (zeros_like(push.outputs[0]),)


RULES["Answer"] = nothing
