"""Shapes as they are given: one by one, as one sequence, by name, and with a -1 in the place of one size."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from autograd_lab.engine.errors import noted, reasons
from autograd_lab.engine.ops.ground.dims import index_of

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

Shape = tuple[int, ...]


def sizes(args: tuple[Any, ...], op: str, argument: str = "size", named: Any = None) -> Shape:
    """The ints that were passed one by one, as one sequence, or by name."""
    args = args if named is None else (named,)
    given = args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args
    found = []
    for position, size in enumerate(given, 1):
        try:
            found.append(size if type(size) is int else index_of(size) if position == 1 else int(operator.index(size)))
        except TypeError:
            if op == "view":
                raise TypeError(not_a_shape(args)) from None
            kind = type(size).__name__
            raise TypeError(
                f"{op}(): argument '{argument}' (position {position}) must be tuple of ints, not {kind}"
            ) from None
    return tuple(found)


def not_a_shape(args: tuple[Any, ...]) -> str:
    """What `view` says of arguments that are no ints."""
    kinds = ", ".join(type(arg).__name__ for arg in args)
    return f"view() received an invalid combination of arguments - got ({kinds}), but expected one of:"


def inferred(shape: Shape, numel: int, of: Tensor | None = None) -> Shape:
    """`shape` with a -1 filled in. Raises RuntimeError if the shape does not have `numel` elements."""
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(size for size in shape if size != -1)
    if any(size < -1 for size in shape):
        bad = next(size for size in shape if size < -1)
        raise RuntimeError(f"invalid shape dimension {bad} at index {shape.index(bad)} of shape {list(shape)}")
    if -1 in shape:
        if known == numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension "
                "size -1 can be any value and is ambiguous"
            )
        if known and numel % known == 0:
            return tuple(numel // known if size == -1 else size for size in shape)
    elif known == numel:
        return shape
    message = f"shape '{list(shape)}' is invalid for input of size {numel}"
    raise noted(RuntimeError(message), "" if of is None else reasons.shapes(of))
