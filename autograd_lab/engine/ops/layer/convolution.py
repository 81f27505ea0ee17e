"""Convolutions over one or two dimensions, and transposed ones, which go the other way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.exact.elementless import Elementless
from autograd_lab.engine.kernels import convolving, halves, multiplying
from autograd_lab.engine.kernels.cascaded import cascade_sum
from autograd_lab.engine.kernels.precise import asked
from autograd_lab.engine.numbers.dtypes import F32, Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.layer.convolved_kinds import (
    Rule,
    by_library,
    check_bias,
    check_sizes,
    in_eights,
    margins,
    with_margin,
)
from autograd_lab.engine.ops.layer.windows import Sizes, columns, each, gathered, middle, padded, places, windows
from autograd_lab.engine.ops.shape.views import squeeze, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.forward.push import Push
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"]


MANY_PLACES = 64
"""From so many places on, a product for each picture of a batch is faster than one for all."""


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
    matrices, seen = _matrices(w, rule), _columns(x, w, rule)
    if len(x) == 1 == rule.groups and x.dtype is F32 is w.dtype:
        z = multiplying.dot(matrices[0], seen[0, 0])
    else:
        z = halves.matmul(matrices, seen)
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
    if len(g) == 1 == rule.groups and g.dtype is F32:
        return multiplying.dot(sent[0, 0], seen[0, 0].T).reshape(w.shape)
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
    exact = _spread_exactly(x, x, w, rule, sizes)
    return np.ascontiguousarray(spread(x, w, rule, sizes)) if exact is None else exact


# Of float32, sums are to be those of PyTorch's library to the last bit.

Moves = tuple[Sizes, Sizes, Sizes]
"""Stride, padding and dilation."""
FEW = 64
"""So many groups are taken one by one."""


def _exactly(function: Any, rule: Rule, x: Array, w: Array, *arrays: Any) -> Any:
    """What such a face gives; None where PyTorch does not leave a convolution to its library."""
    if rule.groups > FEW or not by_library(x, w, rule):
        return None
    if rule.groups > 1 and function is not _exact_output and not in_eights(w, rule.groups):
        return None
    if any(isinstance(one, Elementless) for one in arrays):
        return None
    moves = rule.stride, each(rule.padding, w.ndim - 2), rule.dilation
    if rule.groups > 1:
        arrays = (function, rule.groups, *arrays)
        function = _in_groups
    made = asked(function, *arrays, moves)
    return function(*arrays, moves) if made is None else made


def _in_groups(function: Any, groups: int, *given: Any) -> Array:
    """A face for each group of channels, which are summed by eights if they have no sixteens."""
    axes, axis = GROUPED[function]
    if function is _exact_bias:
        return function(*given)
    parts = [
        [one] * groups if at is None or one is None else np.split(one, groups, at)
        for one, at in zip(given, (*axes, None), strict=True)
    ]
    if function is not _exact_weight:
        one = given[1].shape[1] == 1 == len(given[1]) // groups
        channels = 16 if one or not (given[1].shape[1] % 16 or len(given[1]) // groups % 16) else 8
        apart = {"first": one and not groups % 16} if function is _exact_output else {"even": not one and channels > 8}
        function = partial(function, channels=channels, **apart)
    return np.concatenate([function(*some) for some in zip(*parts, strict=True)], axis)


def _seen(x: Array, w: Array, moves: Moves) -> Array:
    stride, padding, dilation = moves
    return windows(padded(x, padding), w.shape[2:], stride, dilation)


def _exact_output(x: Array, w: Array, b: Array | None, moves: Moves, **order: Any) -> Array:
    return convolving.convolved(_seen(x, w, moves), w, b, **order)


def _exact_input(g: Array, w: Array, sizes: Sizes, moves: Moves, even: bool = True, channels: int = 16) -> Array:
    stride, padding, dilation = moves
    if max(stride) > 1:
        wide = tuple(size + 2 * p for size, p in zip(sizes, padding, strict=True))
        image = convolving.spread(g, w, stride, wide, even and not sizes[-1] % stride[-1])
        return np.ascontiguousarray(image[middle(image.shape, padding)])
    seen = _seen(g, w, (stride, margins(w, padding, dilation), dilation))
    return convolving.convolved(np.flip(seen, tuple(range(w.ndim, seen.ndim))), w.swapaxes(0, 1), channels=channels)


def _spread_exactly(g: Array, x: Array, w: Array, rule: Rule, sizes: Sizes) -> Any:
    """The gradient of the input `x`, or what a transposed convolution makes of it, which is `g` then."""
    padding = each(rule.padding, w.ndim - 2)
    if max(rule.stride) > 1:
        known = max(rule.dilation) == 1
    else:
        known = min(margins(w, padding, rule.dilation)) >= 0 and max(rule.output_padding) == 0
    return _exactly(_exact_input, rule, x, w, g, w, sizes) if known else None


def _exact_weight(g: Array, x: Array, w: Array, moves: Moves) -> Array:
    return convolving.correlated(g, _seen(x, w, moves), w.shape[2:])


def _exact_bias(g: Array, moves: Moves) -> Array:
    return convolving.added_up(g)


GROUPED: dict[Any, tuple[tuple[int | None, ...], int]] = {
    _exact_output: ((1, 0, 0), 1),
    _exact_input: ((1, 0, None), 1),
    _exact_weight: ((1, 1, 0), 0),
    _exact_bias: ((1,), 0),
}
"""Along which dimensions of its operands, and of its result, each face has groups."""


def _as_many(x: Array) -> tuple[Any, ...]:
    """The index of as many places as an array has."""
    return (..., *map(slice, x.shape[2:]))


def _to_input(g: Array, x: Array, w: Array, rule: Rule) -> Array:
    if rule.transposed:
        exact = _exactly(_exact_output, rule, x, w, g, w, None)
    else:
        exact = _spread_exactly(g, x, w, rule, x.shape[2:])
    if exact is not None:
        return exact if exact.shape == x.shape else np.ascontiguousarray(exact[_as_many(x)])
    if not rule.transposed:
        return spread(g, w, rule, x.shape[2:])
    found = convolved(g, w, rule)
    # `output_padding` may add whole windows
    return found if found.shape == x.shape else np.ascontiguousarray(found[_as_many(x)])


def _to_weight(g: Array, x: Array, w: Array, rule: Rule) -> Array:
    pair = (x, g) if rule.transposed else (g, x)
    if (exact := _exactly(_exact_weight, rule, x, w, *pair, w)) is not None:
        return exact
    return correlated(x, g, w, rule) if rule.transposed else correlated(g, x, w, rule)


def _to_bias(g: Array, x: Array, w: Array, rule: Rule) -> Array:
    if (exact := _exactly(_exact_bias, rule, x, w, g)) is not None:
        return exact
    dims = (0, *range(2, g.ndim))
    return cascade_sum(g, dims) if g.dtype is F32 else g.sum(axis=dims)


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
        if not rule.transposed and (exact := _exactly(_exact_output, rule, x, w, x, w, b)) is not None:
            return exact
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
            _to_bias(g, x, w, self._rule) if to_b else None,
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
        return np.ascontiguousarray(_to_input(g, x, w, rule)), _to_weight(g, x, w, rule), _to_bias(g, x, w, rule)

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
    x, margin = with_margin(x, weight, padding, each(stride, n), each(dilation, n))
    rule = Rule(each(stride, n), margin, each(dilation, n), transposed, each(output_padding, n), groups)
    if margin == (0,) != rule.stride[:1] and padding == "valid":
        rule = rule._replace(output_padding=(0,))
    check_sizes(rule, n, x._array, weight._array, None if bias is None else bias._array)
    z = applyn(ConvolutionBackward0, (x, weight, bias), rule)
    return squeeze(z, 0) if single else z
