"""`x[...] = y`: what an index names is written to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import NUMBERS
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.errors.operands import type_name
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, alone
from autograd_lab.engine.ops.ground.writing import change, check_apart, may_write
from autograd_lab.engine.ops.index.indexing import IndexPutBackward0, basic
from autograd_lab.engine.ops.index.subscripts import as_tuple, check_put, refuse_bytes
from autograd_lab.engine.ops.inplace.filling import copy_, fill_
from autograd_lab.engine.ops.shape.views import expand, view

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


def put(input: Tensor, index: Any, value: Any) -> None:
    """`input[index] = value`."""
    if index is False:
        return
    if index is True:
        index = None
    source = _value(input, value)
    given = as_tuple(index)
    part, lists = basic(input, given, source, whole=not isinstance(index, tuple))
    if lists:
        if (shape := _without_ones(source._array.shape)) != source._array.shape:
            source = view(source, shape)
        check_put(part, source, lists)
        refuse_bytes(given, lists, source)
        change("index_put_", IndexPutBackward0, part, (source, *lists), False)
    elif source._array.shape == part._array.shape:
        copy_(part, source)
    elif not source._array.ndim:
        fill_(part, source)
    else:
        source = view(source, _without_ones(source._array.shape))
        if not source._array.ndim:  # PyTorch sees another tensor, even in the same memory
            may_write(part, source)
            check_apart(part, source)
        copy_(part, source if source._array.shape == part._array.shape else expand(source, part._array.shape))


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without the dimensions of one element that it begins with."""
    while shape and shape[0] == 1:
        shape = shape[1:]
    return shape


def _value(input: Tensor, value: Any) -> Any:
    if isinstance(value, Variable):
        return value
    if not isinstance(value, NUMBERS):
        kind = BY_NUMPY[input._array.dtype].title
        raise TypeError(f"can't assign a {type_name(value)} to a torch.{kind}Tensor")
    return wrap(np.array(alone(value, input._array.dtype), input._array.dtype))
