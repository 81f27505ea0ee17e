"""More of `torch.special`: quantiles, zeta functions, and functions that PyTorch has no gradients of."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograd_lab.engine.core.apply import apply1, apply2
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import Array, floating, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.answers import answered
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.kinds import Binary, Pointwise
from autograd_lab.engine.special import special_functions
from autograd_lab.engine.special import zeta as sums
from autograd_lab.engine.special.polynomials import POLYNOMIALS


class SpecialNdtriBackward0(Pointwise):
    """z is the number below which the normal distribution has a share of x, so dz/dx = √(2π) e^(z² / 2)."""

    saves = ("result",)
    op = "special_ndtri"

    def forward(self, x: Array) -> Array:
        return special_functions.each(sums.ndtri, of_kind("f", x, "ndtri_cpu", least=4))

    def backward(self, g: Any, z: Any) -> Any:
        return formulas.times(g, math.sqrt(2 * math.pi)) * formulas.exp(formulas.over(z * z, 2))


def _zeta(x: Any, q: Any) -> Array:
    x, q = (floating(np.asarray(one)) for one in (x, q))
    of_kind("f", x, "zeta_cpu", least=4)
    kind = np.result_type(x, q)
    pairs = np.broadcast(x, q)
    return np.array([sums.zeta(float(one), float(other)) for one, other in pairs], kind).reshape(pairs.shape)


def _slope(g: Any, x: Any, q: Any) -> Any:
    """What q gets: each term (q + n)^-x has the slope -x (q + n)^-(x + 1)."""
    if isinstance(g, Variable):
        return g * -x * zeta(x + 1, q)
    return g * -x * _zeta(x + 1, q).astype(g.dtype)


NO_SLOPE = "the derivative for 'zeta' is not implemented."


class SpecialZetaBackward0(Binary):
    """z = Σ (y + n)^-x over all n from 0, of which the slope in x is not known."""

    saves = Binary.inputs
    op = "special_zeta"

    def forward(self, x: Array, y: Array) -> Array:
        return _zeta(x, y)

    def backward(self, g: Any, x: Any, y: Any) -> Any:
        needs = self.next_functions
        if needs[0][0] is not None:
            raise NotImplementedError(NO_SLOPE)
        return None, _slope(g, x, y)


class SpecialZetaBackward1(Pointwise):
    """The same of a number x."""

    takes_number = True
    inputs = ("other",)
    saves = ("other",)
    op = "special_zeta"
    __slots__ = ("_number",)

    def forward(self, y: Array, x: Any) -> Array:
        self._number = x
        return _zeta(np.asarray(x, y.dtype), y)

    def attributes(self) -> dict[str, Any]:
        """The exponent, which PyTorch calls `self`."""
        return {"self": self._number}

    def backward(self, g: Any, y: Any) -> Any:
        if isinstance(g, Variable):
            return g * -self._number * zeta(self._number + 1, y)
        return g * -self._number * _zeta(np.asarray(self._number + 1, y.dtype), y)


class SpecialZetaBackward2(Pointwise):
    """The same where y is a number."""

    takes_number = True
    op = "special_zeta"

    def forward(self, x: Array, y: Any) -> Array:
        return _zeta(x, np.asarray(y, x.dtype))

    def backward(self, g: Any) -> Any:
        raise NotImplementedError(NO_SLOPE)


def zeta(input: Any, other: Any) -> Any:
    """Σ (other + n)^-input, over all n from 0."""
    if not isinstance(other, Variable):
        _one_tensor("special_zeta", input, other)
        return apply1(SpecialZetaBackward2, input, other)
    return (
        apply1(SpecialZetaBackward1, other, input)
        if not isinstance(input, Variable)
        else apply2(SpecialZetaBackward0, input, other)
    )


def _one_tensor(name: str, x: Any, y: Any) -> None:
    if not isinstance(x, Variable) and not isinstance(y, Variable):
        kinds = ", ".join(type(one).__name__ for one in (x, y))
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:")


ndtri = function(SpecialNdtriBackward0)


def _polynomial(name: str, formula: Callable[[Array, Array], Array]) -> Callable[..., Any]:
    def call(x: Any, n: Any) -> Any:
        _one_tensor(f"special_{name}", x, n)
        kind = floating((x if isinstance(x, Variable) else n)._array).dtype
        at, degree = (one._array if isinstance(one, Variable) else np.asarray(one, kind) for one in (x, n))
        at = of_kind("f", floating(at), f"{name}_cpu", least=4)
        at, degree = np.broadcast_arrays(at, np.trunc(degree).astype(np.int64))
        with np.errstate(all="ignore"):
            return answered(name, np.asarray(formula(at, degree), at.dtype), x, n)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{formula.__doc__ or 'The same, between 0 and 1.'}\n\nPyTorch has no gradient of it."
    return call


globals().update({name: _polynomial(name, formula) for name, formula in POLYNOMIALS.items()})


def _without_gradient(name: str, formula: Callable[[Array], Array]) -> Callable[[Any], Any]:
    def call(input: Any) -> Any:
        return answered(name, formula(of_kind("f", floating(input._array), f"{name}_cpu", least=4)), input)

    call.__name__ = call.__qualname__ = name
    return call


def _spherical(x: Array) -> Array:
    with np.errstate(all="ignore"):
        y = x * x
        near = 1 - y / 6 + y**2 / 120 - y**3 / 5040 + y**4 / 362880 - y**5 / 39916800 + y**6 / 6227020800
        far = np.where(np.isinf(x), 0, np.sin(x) / x)
    return np.asarray(np.where(np.abs(x) < 0.5, near, far), x.dtype)


spherical_bessel_j0 = _without_gradient("spherical_bessel_j0", _spherical)
modified_bessel_i0, modified_bessel_i1 = (
    _without_gradient(f"modified_bessel_i{order}", partial(special_functions.bessel, order, scaled=False))
    for order in (0, 1)
)
NAMES = ("modified_bessel_i0", "modified_bessel_i1", "ndtri", "spherical_bessel_j0", "zeta", *POLYNOMIALS)
