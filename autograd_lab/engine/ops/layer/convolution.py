"""Convolutions over one or two dimensions, and transposed ones, which go the other way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograd_lab.engine.core.apply import apply_many, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.once import warn_once
from autograd_lab.engine.errors.operands import check_same_dtype
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.writing import check_cast
from autograd_lab.engine.ops.layer.convolved_kinds import check_bias, check_kernel, check_library
from autograd_lab.engine.ops.layer.padding import constant_pad
from autograd_lab.engine.ops.layer.windows import Sizes, columns, each, gathered, middle, padded, places
from autograd_lab.engine.ops.shape.views import squeeze, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"]


MANY_PLACES = 64
"""From so many places on, a product for each picture of a batch is faster than one for all."""


class Rule(NamedTuple):
    """How the window moves, one setting for each dimension."""

    stride: Sizes
    padding: Sizes
    dilation: Sizes
    transposed: bool
    output_padding: Sizes
    groups: int


# A convolution is linear in x and in w. Its three faces are here for arrays, not transposed; G is groups, K a window
# of all input channels of a group, P all places: x is seen as columns (N, G, K, P), w is (G, O, K), z (N, G, O, P).


def _columns(x: Array, w: Array, rule: Rule, most: Array | None = None) -> Array:
    seen = columns(padded(x, each(rule.padding, w.ndim - 2)), w.shape[2:], rule.stride, rule.dilation)
    if most is not None and rule.transposed:
        seen = seen[_as_many(most)]
    return seen.reshape(len(x), rule.groups, math.prod(w.shape[1:]), math.prod(seen.shape[-w.ndim + 2 :]))


def _matrices(w: Array, rule: Rule) -> Array:
    return w.reshape(rule.groups, len(w) // rule.groups, math.prod(w.shape[1:]))


def _by_group(g: Array, rule: Rule) -> Array:
    return g.reshape(len(g), rule.groups, g.shape[1] // rule.groups, math.prod(g.shape[2:]))


def convolved(x: Array, w: Array, rule: Rule) -> Array:
    """z = Σ w x over each window."""
    padding = each(rule.padding, w.ndim - 2)
    wide = tuple(size + 2 * p for size, p in zip(x.shape[2:], padding, strict=True))
    z = halves.matmul(_matrices(w, rule), _columns(x, w, rule))
    return z.reshape(len(x), len(w), *places(wide, w.shape[2:], rule.stride, rule.dilation))


@halves.once_of_bfloat16
def spread(g: Array, w: Array, rule: Rule, sizes: Sizes) -> Array:
    """dL/dx: each element gets back, through w, what the windows made of it."""
    padding = each(rule.padding, w.ndim - 2)
    wide = tuple(size + 2 * p for size, p in zip(sizes, padding, strict=True))
    seen = halves.matmul(_matrices(w, rule).swapaxes(1, 2), _by_group(g, rule))
    seen = seen.reshape(len(g), rule.groups * w.shape[1], *w.shape[2:], *g.shape[2:])
    image = gathered(seen, wide, rule.stride, rule.dilation)
    return np.ascontiguousarray(image[middle(image.shape, padding)]) if any(padding) else image


def correlated(g: Array, x: Array, w: Array, rule: Rule) -> Array:
    """dL/dw: what comes in at each place times what the window saw there; of `w` only the shape counts."""
    seen, sent = _columns(x, w, rule, g), _by_group(g, rule)
    if (
        rule.groups == 1 and seen.shape[3] < MANY_PLACES and g.dtype != np.float16
    ):  # one product for the whole batch, which must be copied for it
        flat = sent[:, 0].swapaxes(0, 1).reshape(len(w), -1)
        return halves.dot(flat, seen[:, 0].swapaxes(1, 2).reshape(-1, seen.shape[2])).reshape(w.shape)
    return halves.sum_of_products(sent, seen.swapaxes(2, 3)).reshape(w.shape)


def _applied(x: Array, w: Array, rule: Rule) -> Array:
    if not rule.transposed:
        return convolved(x, w, rule)
    settings = zip(x.shape[2:], rule.stride, rule.padding, rule.dilation, w.shape[2:], rule.output_padding, strict=True)
    sizes = tuple((size - 1) * s - 2 * p + d * (k - 1) + extra + 1 for size, s, p, d, k, extra in settings)
    return np.ascontiguousarray(spread(x, w, rule, sizes))


def _as_many(x: Array) -> tuple[Any, ...]:
    """The index of as many places as an array has."""
    return (..., *map(slice, x.shape[2:]))


def _to_input(g: Array, x: Array, w: Array, rule: Rule) -> Array:
    if not rule.transposed:
        return spread(g, w, rule, x.shape[2:])
    found = convolved(g, w, rule)
    # `output_padding` may add whole windows
    return found if found.shape == x.shape else np.ascontiguousarray(found[_as_many(x)])


def _to_weight(g: Array, x: Array, w: Array, rule: Rule) -> Array:
    return correlated(x, g, w, rule) if rule.transposed else correlated(g, x, w, rule)


def _to_bias(g: Array) -> Array:
    return g.sum(axis=(0, *range(2, g.ndim)))


class Convolution(Node):
    """What both nodes of a convolution keep."""

    __slots__ = ("_rule",)

    def attributes(self) -> dict[str, Any]:
        """The settings of the window."""
        return dict(self._rule._asdict())


class ConvolutionBackward0(Convolution):
    """z = b + Σ w x over each window, so dz/dx = w, dz/dw = x and dz/db = 1, summed over all windows."""

    inputs = ("input", "weight", "bias")
    saves = ("input", "weight")
    __slots__ = ("_bias",)
    tangent = "own"

    def forward(self, x: Array, w: Array, b: Array | None, rule: Rule) -> Array:
        self._rule, self._bias = rule, (0,) if b is None else b.shape
        z = _applied(x, w if x.size else w.astype(x.dtype, copy=False), rule)
        if not x.shape[1]:
            return z[:, :0]  # what has no channels gets none, as in PyTorch
        if b is not None:
            z += b.astype(z.dtype, copy=False).reshape(-1, *(1,) * (w.ndim - 2))
        return z

    def attributes(self) -> dict[str, Any]:
        """The settings of the window, and how long the bias is."""
        return {**super().attributes(), "bias_sym_sizes_opt": self._bias}

    def backward(self, g: Any, x: Any, w: Any) -> Any:
        to_x, to_w, to_b = (edge[0] is not None for edge in self.next_functions)
        if isinstance(g, Variable):
            found = apply_many(ConvolutionBackwardBackward0, (g, x, w), self._rule)
            return found[0] if to_x else None, found[1] if to_w else None, found[2] if to_b else None
        if not x.shape[1]:
            return np.zeros_like(x), np.zeros_like(w), np.zeros(self._bias, g.dtype) if to_b else None
        return (
            _to_input(g, x, w, self._rule) if to_x else None,
            _to_weight(g, x, w, self._rule) if to_w else None,
            _to_bias(g) if to_b else None,
        )

    def pushed(self, push: Push) -> Sequence[Any]:
        """A product with a bias added to each channel."""
        x, w, _ = push.operands
        dx, dw, db = push.tangents
        parts = [push.again([x1, w1, None])[0] for x1, w1 in ((dx, w), (x, dw)) if x1 is not None and w1 is not None]
        parts += push.idle(0, 1)
        if db is not None:
            shape = push.outputs[0]._array.shape
            parts.append(db.view(1, -1, *(1,) * (len(shape) - 2)).expand(shape))
        return (formulas.added(parts),)


class ConvolutionBackwardBackward0(Convolution):
    """dL/dx, dL/dw and dL/db of a convolution; each is linear in g and in one of x and w, so all faces come again."""

    inputs = ("grad_output", "input", "weight")
    saves = inputs
    many = True

    def forward(self, g: Array, x: Array, w: Array, rule: Rule) -> tuple[Array, ...]:
        self._rule = rule
        return np.ascontiguousarray(_to_input(g, x, w, rule)), _to_weight(g, x, w, rule), _to_bias(g)

    def backward(self, h: Any, g: Any, x: Any, w: Any) -> Any:
        to_x, to_w, to_b = h
        face = _recorded if isinstance(g, Variable) else _plain
        to_g: Any = 0
        if to_x is not None:
            to_g = face(_applied, self._rule, to_x, w)
        if to_w is not None:
            to_g = to_g + face(_applied, self._rule, x, to_w)
        if to_b is not None:
            to_g = to_g + to_b.reshape((-1, *(1,) * (w.ndim - 2)))
        return (
            to_g,
            None if to_w is None else face(_to_input, self._rule, g, x, to_w),
            None if to_x is None else face(_to_weight, self._rule, g, to_x, w),
        )


def _plain(face: Any, rule: Rule, *arrays: Any) -> Any:
    return face(*arrays, rule)


def _recorded(face: Any, rule: Rule, *tensors: Any) -> Any:
    if face is _applied:
        return applyn(ConvolutionBackward0, (*tensors, None), rule)
    return apply_many(ConvolutionBackwardBackward0, tensors, rule)[0 if face is _to_input else 1]


def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """A window slides along one dimension; each output channel is a sum over it, weighted."""
    return convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """A window slides over two dimensions; each output channel is a sum over it, weighted."""
    return convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The gradient of conv1d as a function of its own: each element is spread over a window."""
    return convolve("conv_transpose1d", 1, input, weight, bias, stride, padding, dilation, groups, True, output_padding)


def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The gradient of conv2d as a function of its own: each element is spread over a window."""
    return convolve("conv_transpose2d", 2, input, weight, bias, stride, padding, dilation, groups, True, output_padding)


def convolve(
    name: str, n: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int,
    transposed: bool = False, output_padding: Any = 0,
) -> Tensor:  # fmt: skip
    """A convolution of `n` dimensions."""
    if autocast.used:
        input, weight, bias = autocast.lowered(input, weight, bias)
    if not isinstance(input, Variable) or not isinstance(weight, Variable):
        kinds = ", ".join(type(one).__name__ for one in (input, weight))
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:")
    if bias is not None and not transposed and not isinstance(padding, str):
        check_bias(input._array, bias._array)
    if input._array.ndim not in (n + 1, n + 2):
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input._array.shape)}"
        )
    if weight._array.ndim != n + 2 and isinstance(padding, str):
        shape, found = list(weight._array.shape), list(input._array.shape)
        raise RuntimeError(
            f"Expected {len(shape)}-dimensional input for {len(shape)}-dimensional weight{shape}, but got {len(found)}-"
            f"dimensional input of size {found} instead"
        )
    x: Any = input
    single = x._array.ndim == n + 1
    x = unsqueeze(x, 0) if single else x
    x, margin = _margin(x, weight, padding, each(stride, n), each(dilation, n))
    rule = Rule(each(stride, n), margin, each(dilation, n), transposed, each(output_padding, n), groups)
    if margin == (0,) != rule.stride[:1] and padding == "valid":
        rule = rule._replace(output_padding=(0,))
    _check(rule, n, x._array, weight._array, None if bias is None else bias._array)
    z = applyn(ConvolutionBackward0, (x, weight, bias), rule)
    return squeeze(z, 0) if single else z


COPIED = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


def _margin(x: Any, weight: Any, padding: Any, stride: Sizes, dilation: Sizes) -> tuple[Any, Sizes]:
    """The margin on both sides of each dimension; for "same", what is needed more on one side is added to `x`."""
    if not isinstance(padding, str):
        return x, each(padding, len(stride))
    if padding == "valid":
        return x, (0,)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(step != 1 for step in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, weight._array.shape[2:], strict=True)]
    if any(one % 2 for one in total):
        warn_once(COPIED)
        x = constant_pad(x, tuple(side for one in reversed(total) for side in (0, one % 2)))
    return x, tuple(one // 2 for one in total)


def _check(rule: Rule, n: int, x: Array, w: Array, b: Array | None) -> None:
    """Refuse what does not fit, with PyTorch's words."""
    if w.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    for what in ("stride", "padding", "dilation"):
        given = getattr(rule, what)
        if len(each(given, w.ndim - 2)) != w.ndim - 2:
            raise RuntimeError(
                f"expected {what} to be a single integer value or a list of {w.ndim - 2} values to match the "
                f"convolution dimensions, but got {what}={list(given)}"
            )
    if rule.groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if min(rule.padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(rule.stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(rule.dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(rule.dilation)}")
    if w.ndim != n + 2:
        raise RuntimeError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but got "
            f"{x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    _check_channels(rule, x, w, b)
    padding = each(rule.padding, n)
    wide = [size + 2 * p for size, p in zip(x.shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(rule.dilation, w.shape[2:], strict=True)]
    if not rule.transposed and any(size < k for size, k in zip(wide, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, wide))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )
    (height, width), given = (1, *w.shape[2:])[-2:], (*x.shape[:2], *(1, *x.shape[2:])[-2:])
    if 0 in given[2:]:
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {list(given)}")
    check_library(x, w, b, rule.groups)
    if 0 in (height, width):
        raise RuntimeError(
            f"kernel size should be greater than zero, but got kernel_height: {height} kernel_width: {width}"
        )
    if rule.transposed:
        _check_output_padding(rule)
    if x.size:  # else there is nothing to compute
        check_kernel(x, rule.transposed)
        check_same_dtype(x.dtype, w.dtype)
    if rule.transposed and b is not None:  # it is added to the result
        check_cast(x, b)


def _check_channels(rule: Rule, x: Array, w: Array, b: Array | None) -> None:
    groups, size = rule.groups, list(w.shape)
    if len(w) < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{size} instead"
        )
    if len(w) % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{size}] instead"
        )
    start = f"Given transposed={int(rule.transposed)}" if rule.transposed else f"Given groups={groups}"
    channels = w.shape[0] if rule.transposed else w.shape[1] * groups
    if x.shape[1] != channels:
        raise RuntimeError(
            f"{start}, weight of size {size}, expected input{list(x.shape)} to have {channels} channels, but got "
            f"{x.shape[1]} channels instead"
        )
    made = w.shape[1] * groups if rule.transposed else len(w)
    if b is not None and b.shape != (made,):
        start = f"Given transposed={int(rule.transposed)}, weight" if rule.transposed else "Given weight"
        raise RuntimeError(
            f"{start} of size {size}, expected bias to be 1-dimensional with {made} elements, but got bias of size "
            f"{list(b.shape)} instead"
        )


def _check_output_padding(rule: Rule) -> None:
    if all(extra < max(s, d) for extra, s, d in zip(rule.output_padding, rule.stride, rule.dilation, strict=True)):
        return
    parts = {"output_padding": rule.output_padding, "stride": rule.stride, "dilation": rule.dilation}
    sides = {
        name: each(sizes, 2) if len(sizes) > 1 else (int(name != "output_padding"), *sizes)
        for name, sizes in parts.items()
    }
    told = (f"{name}_{side}: {size}" for name, pair in sides.items() for side, size in zip(SIDES, pair, strict=True))
    raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {' '.join(told)}")


SIDES = ("height", "width")
