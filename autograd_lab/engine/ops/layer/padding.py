"""Margins: constant ones, and those that mirror, repeat or go round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.operands import only_tensors
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.exact.elementless import beside
from autograd_lab.engine.numbers.dtypes import Array, fitted
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.composing import composed
from autograd_lab.engine.ops.ground.dims import indices_of
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.shape.slicing import narrow

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

Pad = tuple[int, ...]
"""How much is added before and after the last dimension, then the one before it, ...; less than 0 cuts off."""


def _sides(pad: Pad, ndim: int) -> list[tuple[int, int]]:
    """What is added before and after each dimension, the first one first."""
    pairs = [(pad[at], pad[at + 1]) for at in range(0, len(pad), 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


class ConstantPadNdBackward0(Node):
    """z is x with a margin; the gradient is cut back, which is a margin of the opposite size."""

    __slots__ = ("pad",)
    tangent = "filled"

    def forward(self, x: Array, pad: Pad, value: float = 0) -> Array:
        self.pad = pad
        return _framed(x, pad, value)

    def attributes(self) -> dict[str, Any]:
        """The sizes, shown as PyTorch shows them: what cuts off as an unsigned number."""
        return {"pad": tuple(size % 2**64 for size in self.pad)}

    def backward(self, g: Any) -> Any:
        back = tuple(-size for size in self.pad)
        return apply1(ConstantPadNdBackward0, g, back) if isinstance(g, Variable) else _framed(g, back, 0)


def _framed(x: Array, pad: Pad, value: float) -> Array:
    sides = _sides(pad, x.ndim)
    shape = [size + before + after for size, (before, after) in zip(x.shape, sides, strict=True)]
    z = np.zeros(shape, x.dtype) if not value else np.full(shape, fitted(value, x.dtype), x.dtype)
    inside = tuple(
        slice(max(before, 0), size - max(after, 0)) for size, (before, after) in zip(shape, sides, strict=True)
    )
    kept = tuple(
        slice(max(-before, 0), size - max(-after, 0)) for size, (before, after) in zip(x.shape, sides, strict=True)
    )
    z[inside] = x[kept]
    return z


class Mirrored(Linear):
    """z takes each of its elements from some place of x; an element of x gets the sum of what was taken of it."""

    saves = ("self",)
    __slots__ = ("padding",)

    def forward(self, x: Array, padding: Pad) -> Array:
        self.padding = padding
        return x[_taken(x.shape, padding, type(self))]

    def backward(self, g: Any, x: Any) -> Any:
        if isinstance(g, Variable):
            return apply2(AGAIN[type(self)], g, x, self.padding)
        return _returned(g, x, self.padding, type(self))


class MirroredAgain(Node):
    """The gradient of a margin made of the picture itself; its own gradient is taken from the same places."""

    inputs = ("grad_output", "self")
    __slots__ = ("padding",)

    def forward(self, g: Array, x: Array, padding: Pad) -> Array:
        self.padding = padding
        return _returned(g, x, padding, FIRST[type(self)])

    def backward(self, h: Any) -> Any:
        first = FIRST[type(self)]
        if isinstance(h, Variable):
            return apply1(first, h, self.padding), formulas.zeros_like(h)
        return h[_taken(h.shape, self.padding, first)], formulas.zeros_like(h)


def _returned(g: Array, x: Array, padding: Pad, mode: type[Node]) -> Array:
    whole = np.zeros_like(x)
    np.add.at(whole, _taken(x.shape, padding, mode), g)
    return whole


def _taken(shape: Pad, padding: Pad, mode: type[Node]) -> tuple[Any, ...]:
    """The index that takes each element of the wider array from where it comes."""
    found: list[Any] = []
    for at, (size, (before, after)) in enumerate(zip(shape, _sides(padding, len(shape)), strict=True)):
        places = np.arange(-before, size + after)
        if mode in (ReflectionPad1DBackward0, ReflectionPad2DBackward0):
            places = (size - 1) - np.abs((size - 1) - np.abs(places))
        else:
            places = np.clip(places, 0, size - 1)
        found.append(places.reshape(-1, *(1,) * (len(shape) - at - 1)))
    return tuple(found)


class ReflectionPad1DBackward0(Mirrored):
    """A margin that mirrors the line."""


class ReflectionPad1DBackwardBackward0(MirroredAgain):
    """The gradient of that, itself differentiated."""


class ReflectionPad2DBackward0(Mirrored):
    """A margin that mirrors the picture."""


class ReflectionPad2DBackwardBackward0(MirroredAgain):
    """The gradient of that, itself differentiated."""


class ReplicationPad1DBackward0(Mirrored):
    """A margin that repeats the ends."""


class ReplicationPad1DBackwardBackward0(MirroredAgain):
    """The gradient of that, itself differentiated."""


class ReplicationPad2DBackward0(Mirrored):
    """A margin that repeats the edge."""


class ReplicationPad2DBackwardBackward0(MirroredAgain):
    """The gradient of that, itself differentiated."""


AGAIN: dict[type[Node], type[Node]] = {
    ReflectionPad1DBackward0: ReflectionPad1DBackwardBackward0,
    ReflectionPad2DBackward0: ReflectionPad2DBackwardBackward0,
    ReplicationPad1DBackward0: ReplicationPad1DBackwardBackward0,
    ReplicationPad2DBackward0: ReplicationPad2DBackwardBackward0,
}
FIRST = {again: first for first, again in AGAIN.items()}
MODES: dict[str, dict[int, type[Node]]] = {
    "reflect": {2: ReflectionPad1DBackward0, 4: ReflectionPad2DBackward0},
    "replicate": {2: ReplicationPad1DBackward0, 4: ReplicationPad2DBackward0},
}


def constant_pad(input: Tensor, pad: Pad, value: float = 0) -> Tensor:
    """A margin of `value` around the tensor."""
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    ndim = input._array.ndim
    if len(pad) > 2 * ndim:
        raise RuntimeError(
            f"Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {ndim}dimensions."
        )
    for size, (before, after) in zip(input._array.shape, _sides(pad, ndim), strict=True):
        if size + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    return apply1(ConstantPadNdBackward0, input, pad, value)


@composed
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """A margin around the last dimensions: a constant, a mirror, the edge repeated, or the other side."""
    only_tensors("pad", input)
    if not isinstance(pad, list | tuple):
        raise TypeError("argument 'pad' must be tuple of ints")
    sizes, ndim = indices_of(pad), input._array.ndim
    if len(sizes) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(sizes) > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(sizes)} and input of dimension {ndim}"
        )
    if mode == "constant":
        return constant_pad(input, sizes, float(value) if value else 0)
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in (*MODES, "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    count = len(sizes) // 2
    if ndim not in (count + 1, count + 2) or count > 2:
        raise NotImplementedError(f"Padding size {len(sizes)} is not supported for {ndim}D input tensor.")
    if mode == "circular":
        return _circular(input, sizes)
    if mode == "reflect":
        _check_mirror(input._array.shape, sizes)
    if autocast.used:
        (input,) = autocast.widened(input)
    return apply1(MODES[mode][len(sizes)], input, sizes)


def _check_mirror(shape: Pad, pad: Pad) -> None:
    for at in range(0, len(pad), 2):
        dim = len(shape) - 1 - at // 2
        if max(pad[at], pad[at + 1]) >= shape[dim]:
            raise RuntimeError(
                f"Argument #{4 + at}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({pad[at]}, {pad[at + 1]}) at dimension {dim} of input {list(shape)}"
            )


def _circular(input: Tensor, pad: Pad) -> Tensor:
    """What comes after the end is what stands at the beginning; written part by part, as PyTorch does."""
    shape, ndim = input._array.shape, input._array.ndim
    sides = {ndim - 1 - at: (pad[2 * at], pad[2 * at + 1]) for at in range(len(pad) // 2)}
    if any(max(pair) > shape[dim] for dim, pair in sides.items()):
        raise RuntimeError("Padding value causes wrapping around more than once.")
    wide = [size + sum(sides.get(dim, (0, 0))) for dim, size in enumerate(shape)]
    if min(wide) < 0:
        raise RuntimeError("Negative padding value is resulting in an empty dimension")
    out = beside(np.zeros(wide, input._array.dtype), input)
    inside, source = out, input
    for dim, (before, after) in sides.items():
        inside = narrow(inside, dim, max(before, 0), wide[dim] - max(after, 0) - max(before, 0))
        source = narrow(source, dim, max(-before, 0), shape[dim] - max(-after, 0) - max(-before, 0))
    inside.copy_(source)
    for dim, (before, after) in sides.items():
        size = wide[dim]
        if before > 0:
            narrow(out, dim, 0, before).copy_(narrow(out, dim, size - max(after, 0) - before, before))
        if after > 0:
            narrow(out, dim, size - after, after).copy_(narrow(out, dim, max(before, 0), after))
    return out
