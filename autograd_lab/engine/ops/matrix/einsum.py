"""Einstein's summation: any sum of products of tensors, written with one letter for each dimension."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import check_same_dtype
from autograd_lab.engine.kernels.halves import no_truth
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.matrix.products import bmm

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["einsum"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
Label = Any
"""A letter, or a number for one of the dimensions that `...` stands for, counted from the last one."""


@composed
def einsum(*args: Any) -> Tensor:
    """The sum of products that `equation` describes: "ij,jk->ik" is a matrix product, "ii->" a trace."""
    equation, operands = _arguments(args)
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    if len(terms) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    labels = [_labels(term, one, at) for at, (term, one) in enumerate(zip(terms, operands, strict=True))]
    sizes = _sizes(labels, operands)
    output = _output(right, labels) if arrow else _implied(labels)
    summed = sorted((one for one in sizes if one not in output), key=_order)
    order = [*output, *summed]
    laid = [_laid_out(one, own, order) for one, own in zip(operands, labels, strict=True)]
    last = {label: max(at for at, own in enumerate(labels) if label in own) for label in order}
    return _contracted(laid, len(output), [last[label] for label in order])


def _arguments(args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The equation and the operands; lists of numbers after each operand stand for letters."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], Variable):
        terms = ["".join("..." if each is ... else LETTERS[each] for each in one) for one in args[1::2]]
        equation = ",".join(terms)
        if len(args) % 2:
            equation += "->" + "".join("..." if each is ... else LETTERS[each] for each in args[-1])
        return equation, list(args[: len(args) - len(args) % 2 : 2])
    equation, *operands = args
    if not isinstance(equation, str):
        kind = type(equation).__name__
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {kind}")
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = list(operands[0])
    for position, one in enumerate(operands):
        if not isinstance(one, Variable):
            raise TypeError(f"expected Tensor as element {position} in argument 1, but got {type(one).__name__}")
    return equation, operands


def _order(label: Label) -> tuple[int, int]:
    """Dimensions of `...` come first, then capitals, then small letters."""
    return (0, -label) if isinstance(label, int) else (1, LETTERS.index(label))


def _split(term: str) -> list[Any]:
    before, dots, after = term.partition("...")
    for at, letter in enumerate(term):
        if letter not in LETTERS and not (dots and len(before) <= at < len(before) + 3):
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {at} in the equation string, subscripts must be in "
                "[a-zA-Z]"
            )
    return [*before, ..., *after] if dots else list(before)


def _labels(term: str, operand: Any, position: int) -> list[Label]:
    """One label for each dimension of an operand."""
    found, ndim = _split(term), operand._array.ndim
    if ... in found:
        at, count = found.index(...), ndim - len(found) + 1
        if count >= 0:
            return [*found[:at], *range(count, 0, -1), *found[at + 1 :]]
    if len(found) != ndim:
        ending = "but" if ... in found else "and no ellipsis was given"
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({len(found)}) does not match the number of "
            f"dimensions ({ndim}) for operand {position} {ending}"
        )
    return found


def _sizes(labels: Sequence[Sequence[Label]], operands: Sequence[Any]) -> dict[Label, int]:
    sizes: dict[Label, int] = {}
    for position, (own, operand) in enumerate(zip(labels, operands, strict=True)):
        seen: dict[Label, int] = {}
        for label, size in zip(own, operand._array.shape, strict=True):
            if seen.setdefault(label, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {position} but the sizes don't match, {size} "
                    f"!= {seen[label]}"
                )
            before = sizes.get(label, 1)
            if 1 not in (before, size) and before != size:
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {size} for operand {position} which does not broadcast with "
                    f"previously seen size {before}"
                )
            sizes[label] = max(before, size) if size else size
    return sizes


def _implied(labels: Sequence[Sequence[Label]]) -> list[Label]:
    """Without an output: the dimensions of `...`, then all letters that occur once."""
    found = [label for own in labels for label in own]
    return sorted({one for one in found if isinstance(one, int) or found.count(one) == 1}, key=_order)


def _output(right: str, labels: Sequence[Sequence[Label]]) -> list[Label]:
    known = {label for own in labels for label in own}
    output: list[Label] = []
    for label in _split(right):
        if label is ...:
            output += sorted((one for one in known if isinstance(one, int)), key=_order)
            continue
        if label in output:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
        if label not in known:
            raise RuntimeError(
                f"einsum(): output subscript {label} does not appear in the equation for any input operand"
            )
        output.append(label)
    return output


def _laid_out(operand: Any, own: list[Label], order: Sequence[Label]) -> Any:
    """An operand with one dimension for each label, in the common order; a letter that comes twice is a diagonal."""
    own = list(own)
    for label in dict.fromkeys(own):
        while own.count(label) > 1:
            first, second = own.index(label), own.index(label, own.index(label) + 1)
            operand = operand.diagonal(0, first, second).movedim(-1, first)
            del own[second]
    for label in order:
        if label not in own:
            operand = operand.unsqueeze(len(own))
            own.append(label)
    return operand.permute([own.index(label) for label in order])


def _contracted(operands: list[Any], kept: int, last: list[int]) -> Tensor:
    """Pair by pair, from the left; a dimension is summed as soon as no later operand has it."""
    result = operands[0]
    ndim = len(last)
    if len(operands) == 1:
        return result.sum(tuple(range(kept, ndim))) if ndim > kept else result
    alone = [dim for dim in range(kept, ndim) if last[dim] == 0]
    if alone and len(operands) > 1:
        result = result.sum(tuple(alone), True)
    for position, operand in enumerate(operands[1:], 1):
        shared: list[int] = []
        first: list[int] = []
        second: list[int] = []
        for dim in range(kept, ndim):
            if last[dim] == position:
                one, other = result._array.shape[dim] != 1, operand._array.shape[dim] != 1
                (shared if one and other else first if one else second if other else []).append(dim)
        result = result.sum(tuple(first), True) if first else result
        operand = operand.sum(tuple(second), True) if second else operand
        result = _pair(result, operand, shared) if shared else result * operand
    return result.view(result._array.shape[:kept]) if ndim > kept else result


def _pair(left: Any, right: Any, summed: list[int]) -> Any:
    """The sum of products of two tensors over some dimensions, which stay with one element: a batch of matrices."""
    no_truth(left._array, right._array, "bmm")
    check_same_dtype(left._array.dtype, right._array.dtype)
    both: list[int] = []
    ours: list[int] = []
    theirs: list[int] = []
    for dim, (one, other) in enumerate(zip(left._array.shape, right._array.shape, strict=True)):
        if dim not in summed:
            (both if one != 1 and other != 1 else ours if one != 1 else theirs).append(dim)
    if ours and theirs and ours[0] > theirs[-1]:  # the other way round, the result lies in memory in its order
        left, right, ours, theirs = right, left, theirs, ours
    x, y = left._array.shape, right._array.shape
    batch, rows, inner, columns = (
        math.prod(shape[dim] for dim in dims) for shape, dims in ((x, both), (x, ours), (x, summed), (y, theirs))
    )
    first = left.permute([*both, *ours, *summed, *theirs]).reshape(batch, rows, inner)
    second = right.permute([*both, *summed, *theirs, *ours]).reshape(batch, inner, columns)
    made = [*both, *ours, *summed, *theirs]
    sizes = [x[dim] for dim in (*both, *ours)] + [1] * len(summed) + [y[dim] for dim in theirs]
    return bmm(first, second).view(sizes).permute([made.index(dim) for dim in range(len(made))])
