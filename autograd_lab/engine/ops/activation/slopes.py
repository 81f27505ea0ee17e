"""What functions of one tensor have in common whose gradient has a node of its own: slope times what comes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from autograd_lab.engine.core.apply import apply2
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, F32, Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import Elementwise


def once(formula: Callable[..., Array], g: Array, *saved: Array) -> Array:
    """What a formula makes of arrays; of half precision in float32, and rounded once, as PyTorch's loops do."""
    if g.dtype.itemsize != 2:
        return formula(g, *saved)
    return formula(g.astype(F32), *(one.astype(F32) for one in saved)).astype(g.dtype)


class Sloped(Elementwise):
    """A function of each element, given by its slope, so dz/dx = slope(x).

    Where one with `flat` parts is flat, no gradient goes on, even an infinite one.
    """

    saves: ClassVar[tuple[str, ...]] = ("self",)
    again: ClassVar[Any] = None
    flat: ClassVar[bool] = False

    def slope(self, x: Array) -> Array:
        """dz/dx at x (or at z, for ops that save their result)."""
        raise NotImplementedError

    def curvature(self, x: Any) -> Any:
        """How the slope changes with what is saved."""
        raise NotImplementedError

    def backward(self, g: Any, /, *saved: Any) -> Any:
        return apply2(self.again, g, saved[0], self) if isinstance(g, Variable) else once(self.along, g, saved[0])

    def along(self, g: Array, x: Array) -> Array:
        """G slope(x), as `g` comes in."""
        slope = self.slope(x)
        return formulas.keep_if(slope != 0, g * slope) if self.flat else g * slope


class StraightAgain(Node):
    """h = g slope(x) with a slope that is constant piece by piece, so dh/dg = slope(x) and dh/dx = 0."""

    inputs = ("grad_output", "self")
    saves: ClassVar[tuple[str, ...]] = ("self",)
    __slots__ = ("_first",)
    tangent = "slope"

    def forward(self, g: Array, x: Array, first: Sloped) -> Array:
        self._first: Sloped = first
        return np.asarray(once(first.along, g, x), g.dtype)

    def attributes(self) -> dict[str, Any]:
        """The settings of the op that has this slope."""
        return self._first.attributes()

    def along(self, h: Any, x: Any) -> Any:
        """H slope(x), as `h` comes in."""
        return apply2(type(self), h, x, self._first) if isinstance(h, Variable) else self._first.along(h, x)

    def backward(self, h: Any, /, *saved: Any) -> Any:
        return self.along(h, saved[0]), formulas.zeros_like(h)


class CurvedAgain(StraightAgain):
    """h = g slope(x), so dh/dg = slope(x) and dh/dx = g slope'(x)."""

    saves = ("grad_output", "self")

    def backward(self, h: Any, /, *saved: Any) -> Any:
        g, x = saved
        return self.along(h, x), h * g * self._first.curvature(x)


def gradient_of(first: Any) -> Callable[[type[Node]], type[Node]]:
    """Make a node class the one that an op's gradient is, where it is recorded itself."""

    def again(cls: type[Node]) -> type[Node]:
        first.again = cls
        return cls

    return again


def only_floating(input: Any, kernel: str) -> None:
    """Raise NotImplementedError, with the name of PyTorch's loop, if the elements are integers."""
    if input._array.dtype.kind not in "fV":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[input._array.dtype].title}'")
