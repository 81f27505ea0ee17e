"""The modified Bessel functions of order 0 and 1, and those scaled by e^-|x|."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.kinds import Pointwise
from autograd_lab.engine.special import special_functions as special

if TYPE_CHECKING:
    pass


class I0Backward0(Pointwise):
    """z = I₀(x), so dz/dx = I₁(x)."""

    saves = ("self",)

    def forward(self, x: Array) -> Array:
        return special.bessel(0, x, scaled=False)

    def backward(self, g: Any, x: Any) -> Any:
        return g * _of(SpecialI1Backward0, x)


class SpecialI1Backward0(Pointwise):
    """z = I₁(x), so dz/dx = I₀(x) - z / x, and 1/2 at 0."""

    saves = ("self", "result")
    op = "special_i1"

    def forward(self, x: Array) -> Array:
        return special.bessel(1, x, scaled=False)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        _long_enough(x, "i1_backward")
        return g * _half_at_zero(x, lambda far: _of(I0Backward0, far) - z / far)


class SpecialI0EBackward0(Pointwise):
    """z = e^-|x| I₀(x), so dz/dx = e^-|x| I₁(x) - sign(x) z."""

    saves = ("self", "result")
    op = "special_i0e"

    def forward(self, x: Array) -> Array:
        return special.bessel(0, x, scaled=True)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        return g * (_of(SpecialI1EBackward0, x) - formulas.sgn(x) * z)


class SpecialI1EBackward0(Pointwise):
    """z = e^-|x| I₁(x), so dz/dx = e^-|x| I₀(x) - (sign(x) + 1 / x) z, and 1/2 at 0."""

    saves = ("self", "result")
    op = "special_i1e"

    def forward(self, x: Array) -> Array:
        return special.bessel(1, x, scaled=True)

    def backward(self, g: Any, x: Any, z: Any) -> Any:
        _long_enough(x, "i1e_backward")
        return g * _half_at_zero(x, lambda far: _of(SpecialI0EBackward0, far) - z * (formulas.sgn(far) + 1 / far))


i0, i1, i0e, i1e = map(function, (I0Backward0, SpecialI1Backward0, SpecialI0EBackward0, SpecialI1EBackward0))


def _long_enough(x: Any, kernel: str) -> None:
    """Refuse half precision, as PyTorch's kernel does."""
    of_kind("f", getattr(x, "_array", x), kernel, least=4)


def _of(cls: type[Pointwise], x: Any) -> Any:
    """The function of an op, of arrays or of tensors."""
    return FUNCTIONS[cls](x) if hasattr(x, "_array") else cls().forward(x)


FUNCTIONS = {I0Backward0: i0, SpecialI1Backward0: i1, SpecialI0EBackward0: i0e, SpecialI1EBackward0: i1e}


def _half_at_zero(x: Any, slope: Callable[[Any], Any]) -> Any:
    """A slope that divides by `x`: its limit 1/2 at 0, and so near to 0 that it is not to be told from it."""
    far = abs(x) > np.finfo((x._array if hasattr(x, "_array") else x).dtype).eps  # not where x is no number
    if not hasattr(x, "_array"):
        return np.where(far, slope(np.where(far, x, x.dtype.type(1))), x.dtype.type(0.5))
    return slope(x.where(far, formulas.one(x))).where(far, 0.5)
