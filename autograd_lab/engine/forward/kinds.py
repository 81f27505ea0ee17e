"""What each `tangent` that an op declares means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.exact import gradients
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.forward.push import RULES, Push, rule, zeros_like
from autograd_lab.engine.modes.grad_mode import enable_grad, is_grad_enabled
from autograd_lab.engine.ops.ground import formulas

__all__ = ["RULES"]


@rule
def linear(push: Push) -> Sequence[Any]:
    """The op itself, on tangents; operands without one count as zeros."""
    moving = push.operands[: push.node.differentiable]
    pairs = zip(moving, push.tangents, strict=False)
    parts = [(zeros_like(one) if _moves(one) else one) if tangent is None else tangent for one, tangent in pairs]
    found: Sequence[Any] = push.again([*parts, *push.operands[len(moving) :]])
    return found


def _moves(operand: Any) -> bool:
    return operand is not None and operand._array.dtype.kind in "fV"


@rule
def diagonal(push: Push) -> Sequence[Any]:
    """Each element by itself: what the backward formula sends is the same, for a tangent in the place of a gradient.

    So it is for softmax, whose Jacobian is symmetric.
    """
    shape = push.outputs[0]._array.shape
    wide = [(at, one if one._array.shape == shape else one.expand(shape)) for at, one in push.given()]
    return (formulas.added([*[push.pulled(at, one) for at, one in wide], *_idle_slopes(push)]),)


def _idle_slopes(push: Push) -> list[Any]:
    """Of a product element by element, what comes of operands without a tangent."""
    count = len(push.tangents)
    if count == len(push.given()) or not any(one is not None and one._needs for one in push.operands[:count]):
        return []
    nothing = zeros_like(push.outputs[0])
    still = [at for at, one in enumerate(push.operands[:count]) if push.tangents[at] is None and _moves(one)]
    with np.errstate(all="ignore"):  # only whether it needs a gradient is asked
        needy = any(push.pulled(at, nothing)._needs for at in still)
    return push.idle(*range(count)) if needy else []


@rule
def slope(push: Push) -> Sequence[Any]:
    """A gradient times a slope: linear in the one, element by element in the other."""
    return (formulas.added([push.put(0, one)[0] if at == 0 else push.pulled(at, one) for at, one in push.given()]),)


@rule
def shared_slope(push: Push) -> Sequence[Any]:
    """The gradient of a loss: one number, shared among all elements, times their slopes."""
    return slope(push)


@rule
def product(push: Push) -> Sequence[Any]:
    """(x + dx)(y + dy) - x y, but for what is of second order: dx y + x dy."""
    parts = [push.put(at, one)[0] for at, one in push.given()]
    return (formulas.added([*parts, *push.idle(*range(len(push.tangents)))]),)


@rule
def added_product(push: Push) -> Sequence[Any]:
    """A product with something added: beta db + alpha (dx y + x dy)."""
    first = push.tangents[0]
    nothing = zeros_like(push.operands[0])
    parts = [
        push.again([nothing, *(one if other == at else push.operands[other] for other in (1, 2))])[0]
        for at, one in push.given()
        if at
    ]
    parts += push.idle(1, 2)
    if first is not None:
        parts.append(formulas.times(first.expand(push.outputs[0]._array.shape), push.node.beta))
    return (formulas.added(parts),)


@rule
def filled(push: Push) -> Sequence[Any]:
    """Linear, but for a number that is put somewhere: what comes of the tangent, less what comes of zeros."""
    nothing = [zeros_like(one) if _moves(one) else one for one in push.operands]
    moved = [zero if tangent is None else tangent for zero, tangent in zip(nothing, push.tangents, strict=True)]
    return (push.again(moved)[0] - push.again(nothing)[0],)


@rule
def reduction(push: Push) -> Sequence[Any]:
    """Each element reaches one of the result: the gradient of that one, times the tangent, added up."""
    return [_reduced(push, number) for number in range(len(push.outputs))]


def _reduced(push: Push, number: int) -> Any:
    out, node = push.outputs[number], push.node
    ones: Any = wrap(np.ones_like(out._array))
    if node.many:
        ones = [ones if other == number else None for other in range(len(push.outputs))]
    total = formulas.added([push.pulled(at, ones) * one for at, one in push.given()])
    if not out._array.ndim:
        return total.sum()
    dims = getattr(node, "dim", None)
    ndim = total._array.ndim
    dims = tuple(range(ndim)) if dims in (None, ()) else dims if isinstance(dims, tuple) else (dims,)
    return total.sum(dims, keepdim=bool(node.keepdim))


@rule
def loss(push: Push) -> Sequence[Any]:
    """Errors each for itself, or one number for all."""
    return diagonal(push) if push.node.reduction == 0 else reduction(push)


@rule
def chosen(push: Push) -> Sequence[Any]:
    """Some elements, and their positions: the tangents of the same ones."""
    (_, tangent), positions, dim = push.given()[0], push.outputs[1], push.node.dim
    if positions._array.ndim < tangent._array.ndim:
        return tangent.gather(dim, positions.unsqueeze(dim)).squeeze(dim), None
    return tangent.gather(dim, positions), None


@rule
def nothing(push: Push) -> Sequence[Any]:
    """A truth value, written as a number: no small change of the operands changes it."""
    return (zeros_like(push.outputs[0]),)


@rule
def pooled(push: Push) -> Sequence[Any]:
    """The tangents of the elements that were the greatest."""
    out, positions = push.outputs[:2]
    return push.tangents[0].flatten(-2).gather(-1, positions.flatten(-2)).view_as(out), None


@rule
def determinant(push: Push) -> Sequence[Any]:
    """The cofactors times the tangents, added up; the sign stays what it is."""
    out = push.outputs[-1]
    ones: Any = wrap(np.ones_like(out._array))
    sent = push.pulled(0, [None, ones] if push.node.many else ones)
    return [None] * (len(push.outputs) - 1) + [(sent * push.tangents[0]).sum((-2, -1))]


@rule
def transposed(push: Push) -> Sequence[Any]:
    """What the backward formula sends is linear in the gradients: its transpose, by a backward pass through it.

    Of the product of what is sent with the tangents, the gradients by the gradients, wherever these are.
    """
    with enable_grad():
        seeds = [wrap(np.ones_like(one._array), one._array.dtype.kind in "fV") for one in push.outputs]
        moving = [one for one in seeds if one._needs]
        given: Any = [one if one._needs else None for one in seeds] if push.node.many else seeds[0]
        total = formulas.added([(push.pulled(at, given) * tangent).sum() for at, tangent in push.given()])
    if not total._needs:
        return [zeros_like(one) if one._array.dtype.kind in "fV" else None for one in push.outputs]
    found = iter(gradients.grad(total, moving, create_graph=True, materialize_grads=True))
    recorded = is_grad_enabled() and any(one is not None and one._needs for one in (*push.operands, *push.tangents))
    return [
        (next(found) if recorded else forward.without_history(next(found))) if one._needs else None for one in seeds
    ]


@rule
def own(push: Push) -> Sequence[Any]:
    """As no other op: it has a method for it, beside its `backward`."""
    found: Sequence[Any] = push.node.pushed(push)
    return found
