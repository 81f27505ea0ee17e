"""Functions that can write into a tensor given as `out`, as in `torch.add(x, y, out=z)`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from autograd_lab import listening
from autograd_lab.engine.core.variable import Variable, wrote
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.ops.activation import sigmoids
from autograd_lab.engine.ops.ground.writing import check_cast
from autograd_lab.engine.ops.matrix import products
from autograd_lab.engine.ops.pointwise import arithmetic, division, elementary, selection, trigonometry
from autograd_lab.engine.ops.shape import joining

__all__ = [
    "abs", "add", "bmm", "cat", "clamp", "cos", "div", "exp", "log", "matmul", "maximum", "minimum", "mm", "mul",
    "mv", "neg", "pow", "sigmoid", "sin", "sqrt", "stack", "sub", "tanh",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])

RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)


def accepting_out(function: F) -> F:
    """The function, which writes its result into `out` if that is given."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args: Any, out: Any = None, **named: Any) -> Any:
        if out is None:
            return function(*args, **named)
        given = [out, *args, *named.values(), *(args[0] if args and isinstance(args[0], tuple | list) else ())]
        if is_grad_enabled() and any(isinstance(one, Variable) and one._needs for one in given):
            raise RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            )
        return _written(name, function(*args, **named), out)

    return cast("F", call)


def _written(name: str, result: Any, out: Any) -> Any:
    array = result._array
    check_cast(out._array, array)
    if out._array.shape == array.shape:
        out._array[...] = array
    else:
        if out._array.size:
            warnings.warn(RESIZED.format(list(out._array.shape), list(array.shape)), UserWarning, stacklevel=3)
        out._array = array.astype(out._array.dtype)
    wrote(out)
    if listening.active is not None:
        listening.active.tensor_modified(out, name)
    return out


add = accepting_out(arithmetic.add)
sub = accepting_out(arithmetic.sub)
mul = accepting_out(arithmetic.mul)
div = accepting_out(division.div)
pow = accepting_out(arithmetic.pow)
neg = accepting_out(elementary.neg)
abs = accepting_out(elementary.abs)
exp = accepting_out(elementary.exp)
log = accepting_out(elementary.log)
sqrt = accepting_out(elementary.sqrt)
sin = accepting_out(trigonometry.sin)
cos = accepting_out(trigonometry.cos)
tanh = accepting_out(sigmoids.tanh)
sigmoid = accepting_out(sigmoids.sigmoid)
clamp = accepting_out(selection.clamp)
maximum = accepting_out(selection.maximum)
minimum = accepting_out(selection.minimum)
matmul = accepting_out(products.matmul)
mm = accepting_out(products.mm)
mv = accepting_out(products.mv)
bmm = accepting_out(products.bmm)
cat = accepting_out(joining.cat)
stack = accepting_out(joining.stack)
