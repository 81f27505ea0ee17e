"""Ops that copy: `clone`, a change of dtype, and the copying of a gradient that is itself recorded."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core import variable
from autograd_lab.engine.core.apply import apply1
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.exact.aliasing import address
from autograd_lab.engine.exact.elementless import Elementless
from autograd_lab.engine.modes.grad_mode import no_grad_quietly
from autograd_lab.engine.numbers.device import channels_last, contiguous_format
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, order_of
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import by_pixels, is_by_pixels
from autograd_lab.engine.ops.ground.kinds import Elementwise, Linear
from autograd_lab.engine.ops.ground.memory import found_at, memory_of, place_of, placed, read_as, whereabouts
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["clone"]


ORDERS = {contiguous_format: "C", channels_last: "pixels"}
"""How elements are to lie in memory, where it is not left as it is."""


def lies_otherwise(input: Tensor, order: str | None) -> bool:
    """Whether elements are to lie in memory in another order than they do."""
    return order is not None and order != ("pixels" if is_by_pixels(input._array) else "C")


def copied(x: Array, dtype: NumpyDtype, order: str | None) -> Array:
    """A copy in a dtype. If elements stay where they are, so do the steps along dimensions of 1, which lead nowhere."""
    kept = order or order_of(x)
    copy = x.astype(dtype, kept)
    return stepping(copy, x) if kept == "K" else copy


def laid_out(array: Array, like: Array, memory_format: Any = None) -> Array:
    """New numbers in the order in memory that is asked for: if none is, in that of an array of their shape."""
    if memory_format is channels_last:
        return by_pixels(array)
    if memory_format is contiguous_format or type(like) is not np.ndarray:
        return array
    kept = order_of(like)
    if not like.flags.c_contiguous:
        out = np.empty_like(like, array.dtype, kept)
        np.copyto(out, array)
        array = out
    return stepping(array, like) if kept == "K" else array


def stepping(copy: Array, x: Array) -> Array:
    """The copy, with the steps of what it is of along dimensions of 1, if its elements lie where they do there."""
    if 1 not in x.shape or type(x) is not np.ndarray:
        return copy
    steps = tuple([step // x.itemsize * copy.itemsize for step in x.strides])
    moves = zip(x.shape, steps, copy.strides, strict=True)
    if steps == copy.strides or any(size > 1 and step != other for size, step, other in moves) or min(steps) < 0:
        return copy
    alike = np.ndarray(x.shape, copy.dtype, strides=steps)
    np.copyto(alike, copy)
    return alike


class CloneBackward0(Linear):
    """z = x, in new memory, so dz/dx = 1."""

    def forward(self, x: Array, order: str | None = None) -> Array:
        return by_pixels(x) if order == "pixels" else copied(x, x.dtype, order)

    def backward(self, g: Any) -> Any:
        return g


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy in new memory, through which gradients flow."""
    return apply1(CloneBackward0, input, ORDERS.get(memory_format))


def in_order(input: Tensor) -> Tensor:
    """A copy whose elements lie in memory in their order."""
    return apply1(CloneBackward0, input, "C")


class ToCopyBackward0(Linear):
    """z = x in another dtype; the gradient goes back in the dtype of x."""

    __slots__ = ("_from",)

    def forward(self, x: Array, dtype: NumpyDtype, order: str | None = None) -> Array:
        self._from = x.dtype
        return by_pixels(x.astype(dtype)) if order == "pixels" else copied(x, dtype, order)

    def backward(self, g: Any) -> Any:
        return formulas.cast(g, self._from)


def to_dtype(input: Tensor, dtype: NumpyDtype, copy: bool = False, order: str | None = None) -> Tensor:
    """The tensor itself if it has that dtype, else a copy in it, which has a history only if it is floating."""
    if input._array.dtype == dtype and not copy:
        return input
    if dtype.kind in "fV":
        return apply1(ToCopyBackward0, input, dtype, order)
    with no_grad_quietly():
        return apply1(ToCopyBackward0, input, dtype, order)


class CopyBackwards(Elementwise):
    """y becomes x, so dz/dy = 0 and dz/dx = 1."""

    mixes = False
    inputs = ("self", "src")
    op = "copy_"

    def name(self) -> str:
        """The name that PyTorch gives it, with its namespace."""
        return "torch::autograd::CopyBackwards"

    def forward(self, y: Array, x: Array) -> Array:
        if x.ndim > y.ndim or any(n != m and n == 1 for n, m in zip(y.shape[::-1], x.shape[::-1], strict=False)):
            raise RuntimeError(
                f"output with shape {list(y.shape)} doesn't match the broadcast shape "
                f"{list(np.broadcast_shapes(y.shape, x.shape))}"
            )
        return np.broadcast_to(x, y.shape).astype(y.dtype)

    def backward(self, g: Any) -> Any:
        needs = self.next_functions
        return (formulas.zeros_like(g) if needs[0][0] is not None else None), (g if needs[1][0] is not None else None)


ONLY_LEAVES = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)
HOOK = (
    "backward hook {} on tensor will not be serialized.  If this is expected, you can decorate the function with "
    "@torch.utils.hooks.unserializable_hook to suppress this warning"
)


def deepcopied(input: Tensor, memo: dict[int, Any]) -> Tensor:
    """What `copy.deepcopy` makes of a leaf: an equal one in memory of its own, with its `.grad`."""
    if not input.is_leaf:
        raise RuntimeError(ONLY_LEAVES)
    if id(input) not in memo:
        copy: Any = _put(_in_own_memory(input._array, memo), input._needs)
        copy._grad = None if input._grad is None else deepcopied(input._grad, memo)
        memo[id(input)] = copy
        copy.__dict__.update(deepcopy(input.__dict__, memo))
    return memo[id(input)]


def _in_own_memory(x: Array, memo: dict[Any, Any]) -> Array:
    """A copy of an array; those that share memory share that of their copies, too."""
    if type(x) is Elementless:
        return x.copy("K")
    memory = memory_of(x)
    key = ("memory of tensors", address(memory))
    if key not in memo:
        memo[key] = memory.copy()
    return placed(read_as(memo[key], x.dtype), *place_of(x))


def reduced(input: Tensor, protocol: Any) -> Any:
    """How a tensor is pickled: where it lies in which memory, and whether it requires a gradient; not its history."""
    _warn_of_hooks(input)
    kind = None if type(input) is variable.Tensor else type(input)
    return rebuilt, (whereabouts(input._array), input._needs, kind), input.__dict__ or None


def _warn_of_hooks(input: Tensor) -> None:
    for hook in ((input._extra and input._extra.hooks) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(HOOK.format(repr(hook)), UserWarning, stacklevel=users_level())


def rebuilt(whereabouts: tuple[Any, ...], requires_grad: bool, kind: Any = None) -> Tensor:
    """The tensor that was pickled; `kind` is the class of the user's own that it is of."""
    made = _put(found_at(*whereabouts), requires_grad)
    if kind is not None:
        made.__class__ = kind
    return made


def _put(array: Array, requires_grad: bool) -> Tensor:
    """A tensor that was put into memory, which PyTorch counts as a write."""
    made = wrap(array, requires_grad)
    if type(made._cell) is list:
        made._cell[0] = 1
    return made
