"""`rearrange`: a tensor in another shape, by the names of its dimensions, as `"a b -> (b a)"`."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.ops.shape.joining import stack

Groups = list[list[str]]
DOTS = "dimensions of their own"
"""What an ellipsis is that stands for itself, and not in brackets."""


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """The tensor with its dimensions split, exchanged and put together as the pattern says."""
    x = tensor if is_tensor(tensor) else stack(tensor)
    parts = pattern.split("->")
    if len(parts) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = map(_groups, parts)
    if any("..." in group for group in left):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    _check(left, right, axes_lengths)
    count = len(left) - ([DOTS] in left)
    dots = x.dim() - count
    if dots < 0 or (dots and [DOTS] not in left):
        raise ValueError(
            f"Number of dimensions in pattern ({count}) must be equal to the number of dimensions in the tensor "
            f"({x.dim()})"
        )
    left, right = (_spelled_out(groups, dots) for groups in (left, right))
    sizes = _sizes(left, tuple(x.shape), axes_lengths)
    names = [name for group in left for name in group]
    order = [names.index(name) for group in right for name in group]
    whole = x.reshape([sizes[name] for name in names]).permute(order)
    return whole.reshape([math.prod(sizes[name] for name in group) for group in right])


def _groups(side: str) -> Groups:
    """The dimensions of one side, each as the names that it is made of."""
    found: Groups = []
    inside = False
    for word in side.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            if inside:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            found.append([])
            inside = True
        elif word == ")":
            if not inside:
                raise ValueError("Brackets are not balanced")
            inside = False
        elif word == "1":
            found += [] if inside else [[]]
        else:
            _check_name(word)
            if inside:
                found[-1].append(word)
            else:
                found.append([DOTS if word == "..." else word])
    if inside:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    return found


def _check_name(word: str) -> None:
    if word == "...":
        return
    if word.isdecimal():
        raise ValueError("rearrange only supports unnamed axes of size 1")
    shown = word.replace("...", "…")
    if not word.isidentifier():
        raise ValueError(f"Invalid axis identifier: {shown}\nnot a valid python identifier")
    if word[0] == "_" or word[-1] == "_":
        raise ValueError(f"Invalid axis identifier: {shown}\naxis name should should not start or end with underscore")


def _check(left: Groups, right: Groups, lengths: dict[str, int]) -> None:
    sides = [["..." if name == DOTS else name for group in groups for name in group] for groups in (left, right)]
    for names in sides:
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"Indexing expression contains duplicate dimension '{name}'")
    if one_sided := {*sides[0]} ^ {*sides[1]}:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {one_sided}")
    if unknown := lengths.keys() - {*sides[0]}:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")


def _spelled_out(groups: Groups, dots: int) -> Groups:
    """The dimensions, with as many of their own in the place of dots as there are."""
    many = [f"...{number}" for number in range(dots)]
    found: Groups = []
    for group in groups:
        if group == [DOTS]:
            found += [[name] for name in many]
        else:
            found.append([each for name in group for each in (many if name == "..." else [name])])
    return found


def _sizes(groups: Groups, shape: tuple[int, ...], lengths: dict[str, int]) -> dict[str, int]:
    """How long each named dimension is: of a group all but one have to be known."""
    sizes = dict(lengths)
    for group, size in zip(groups, shape, strict=True):
        unknown = [name for name in group if name not in sizes]
        known = math.prod(sizes[name] for name in group if name in sizes)
        if len(unknown) > 1:
            raise ValueError(f"cannot infer the sizes of two dimensions at once {unknown[0]} and {unknown[1]}")
        if unknown and (not known or size % known):
            raise ValueError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {known}")
        if unknown:
            sizes[unknown[0]] = size // known
        elif known != size:
            pack = f"({', '.join(group)})"
            raise ValueError(f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack {pack}")
    return sizes
