"""Products of Householder reflections I - tau v vᵀ: `geqrf`, which finds them, and what is made of them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.apply import apply_many, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.named_results import named
from autograd_lab.engine.ops.matrix.decompositions import beside
from autograd_lab.engine.ops.matrix.linalg import by_columns, transposed

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

GeqrfResult = named("geqrf", "a", "tau")


class GeqrfBackward0(Node):
    """A = H₁ H₂ … R: R in the upper triangle, and below it the vectors of the reflections; no gradient is known."""

    outputs = ("a", "tau")
    many = True

    def forward(self, A: Array) -> tuple[Array, Array]:
        h, tau = np.linalg.qr(A, "raw")
        return by_columns(h.swapaxes(-1, -2)), tau

    def backward(self, g: Any) -> Any:
        raise NotImplementedError("the derivative for 'geqrf' is not implemented.")


def _vectors(h: Any) -> Any:
    """The vectors v: ones on the diagonal, and below it what is kept."""
    array = h._array if isinstance(h, Variable) else h
    ones: Any = np.eye(*array.shape[-2:], dtype=array.dtype)
    return h.tril(-1) + wrap(ones) if isinstance(h, Variable) else np.tril(h, -1) + ones


def _steps(v: Any, tau: Any, C: Any, backwards: bool) -> list[Any]:
    """C, and what each reflection in turn makes of it: the last one first, or the first one."""
    found = [C]
    count = tau.shape[-1]
    for at in reversed(range(count)) if backwards else range(count):
        one, scale = v[..., at : at + 1], tau[..., at : at + 1, None]
        found.append(found[-1] - scale * one * (transposed(one) @ found[-1]))
    return found


def _returned(g: Any, h: Any, tau: Any, C: Any, backwards: bool) -> tuple[Any, Any, Any]:
    """The gradients of the vectors, of tau, and of what was reflected."""
    v, count = _vectors(h), tau.shape[-1]
    order = list(reversed(range(count)) if backwards else range(count))
    steps = _steps(v, tau, C, backwards)
    to_v: list[Any] = [formulas.zeros_like(v[..., at : at + 1]) for at in range(v.shape[-1])]
    to_tau: list[Any] = [None] * count
    for at, seen in zip(reversed(order), reversed(steps[:-1]), strict=True):
        one, scale = v[..., at : at + 1], tau[..., at : at + 1, None]
        row, back = transposed(one) @ seen, transposed(one) @ g
        to_tau[at] = -(row * back).sum((-2, -1))[..., None]
        to_v[at] = -scale * (g @ transposed(row) + seen @ transposed(back))
        g = g - scale * one * back
    whole = beside(*to_v) if to_v else formulas.zeros_like(v)
    lower = whole.tril(-1) if isinstance(whole, Variable) else np.tril(whole, -1)
    return lower, beside(*to_tau) if count else formulas.zeros_like(tau), g


def _unit(h: Any) -> Any:
    """The first columns of the matrices that change nothing."""
    array = h._array if isinstance(h, Variable) else h
    ones = np.zeros_like(array) + np.eye(*array.shape[-2:], dtype=array.dtype)
    return wrap(ones) if isinstance(h, Variable) else ones


class LinalgHouseholderProductBackward0(Node):
    """z is the first columns of H₁ H₂ …: each reflection is taken back in turn."""

    inputs = ("input", "tau")
    saves = ("input", "tau", "result")
    op = "linalg_householder_product"
    tangent = "transposed"

    def forward(self, h: Array, tau: Array) -> Array:
        return by_columns(_steps(_vectors(h), tau, _unit(h), True)[-1])

    def backward(self, g: Any, h: Any, tau: Any, _: Any) -> Any:
        return _returned(g, h, tau, _unit(h), True)[:2]


class OrmqrBackward0(Node):
    """z = Q C, or with Qᵀ, or with Q on the right, for Q = H₁ H₂ …."""

    inputs = ("self", "input2", "input3")
    saves = (*inputs, "result")
    op = "ormqr"
    __slots__ = ("left", "transpose")

    def forward(self, h: Array, tau: Array, C: Array, left: bool, transpose: bool) -> Array:
        self.left, self.transpose = left, transpose
        z = _steps(_vectors(h), tau, C if left else transposed(C), left != transpose)[-1]
        return by_columns(z if left else transposed(z))

    def backward(self, g: Any, h: Any, tau: Any, C: Any, _: Any) -> Any:
        g, C = (one if self.left else transposed(one) for one in (g, C))
        to_h, to_tau, to_c = _returned(g, h, tau, C, self.left != self.transpose)
        return to_h, to_tau, to_c if self.left else transposed(to_c)


def geqrf(input: Tensor) -> Any:
    """The reflections whose product is the Q of `qr`, and R."""
    x = input._array
    if x.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    of_kind("f", x, "geqrf_cpu", least=4)
    return GeqrfResult(apply_many(GeqrfBackward0, (input,)))


def _check(name: str, h: Array, tau: Array) -> None:
    if h.ndim < 2:
        raise RuntimeError(f"torch.{name}: input must have at least 2 dimensions.")
    if name != "ormqr" and h.shape[-2] < h.shape[-1]:
        raise RuntimeError(f"torch.{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if name != "ormqr" and h.shape[-1] < tau.shape[-1]:
        raise RuntimeError(f"torch.{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if tau.ndim != h.ndim - 1:
        raise RuntimeError(
            f"torch.{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} "
            f"and input.ndim is equal to {h.ndim}"
        )


def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of reflections, as many as the input has."""
    name, h = "linalg.householder_product", input._array
    _check(name, h, tau._array)
    if h.dtype != tau._array.dtype:
        kinds = f"tau dtype {tau.dtype.title} does not match input dtype {input.dtype.title}"
        raise RuntimeError(f"torch.{name}: {kinds}")
    of_kind("f", h, "orgqr_cpu", least=4)
    return applyn(LinalgHouseholderProductBackward0, (input, tau))


def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """`linalg.householder_product`, as it was called."""
    return householder_product(input, input2)


def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """A matrix times the product Q of reflections: Q C, Qᵀ C, C Q or C Qᵀ."""
    h, tau, C = input._array, input2._array, input3._array
    if h.ndim >= 2 > C.ndim:
        raise RuntimeError("torch.ormqr: other must have at least 2 dimensions.")
    if h.ndim >= 2:
        side = -2 if left else -1
        if C.shape[side] < tau.shape[-1]:
            raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be greater than or equal to tau.shape[-1]")
        if C.shape[side] != h.shape[-2]:
            raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
        if tau.ndim == h.ndim - 1 and tau.shape[-1] != min(C.shape[side], h.shape[-1]):
            raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    _check("ormqr", h, tau)
    for name, one in (("tau", input2), ("other", input3)):
        if one._array.dtype != h.dtype:
            kinds = f"input has dtype{input.dtype.title} and {name} has dtype {one.dtype.title}"
            raise RuntimeError(f"torch.ormqr: Expected input and {name} to have the same dtype, but {kinds}")
    of_kind("f", h, "ormqr_cpu", least=4)
    return applyn(OrmqrBackward0, (input, input2, input3), left, transpose)
