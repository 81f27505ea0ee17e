"""What functions of one tensor have in common whose gradient has a node of its own: slope times what comes in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from autograd_lab.engine import either
from autograd_lab.engine.apply import apply2
from autograd_lab.engine.dtypes import BY_NUMPY, Array
from autograd_lab.engine.node import Node
from autograd_lab.engine.variable import Variable


class Sloped(Node):
    """A function of each element, given by its slope, so dz/dx = slope(x)."""

    saves = ("self",)
    again: ClassVar[Any] = None

    def slope(self, x: Array) -> Array:
        """dz/dx at x (or at z, for ops that save their result)."""
        raise NotImplementedError

    def curvature(self, x: Any) -> Any:
        """How the slope changes with what is saved."""
        raise NotImplementedError

    def backward(self, g: Any, x: Any) -> Any:
        return apply2(self.again, g, x, self) if isinstance(g, Variable) else g * self.slope(x)


class Again(Node):
    """h = g slope(x): the gradient of a `Sloped` op, which is its second base, differentiated itself."""

    inputs = ("grad_output", "self")
    settings: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        first: Any = cls.__bases__[-1]
        if issubclass(first, Sloped):
            cls.kept = first.kept
            own = first.__mro__[: first.__mro__.index(Sloped)]
            cls.settings = tuple(name for base in own for name in base.__dict__["__slots__"])
            first.again = first.__dict__.get("again", cls)

    if TYPE_CHECKING:  # both are the second base's

        def slope(self, x: Array) -> Array: ...
        def curvature(self, x: Any) -> Any: ...

    def forward(self, g: Array, x: Array, first: Node) -> Array:
        for name in self.settings:
            setattr(self, name, getattr(first, name))
        return np.multiply(g, self.slope(x), out=...)

    def again_to(self, h: Any, x: Any) -> Any:
        """H slope(x), as `h` comes in."""
        return apply2(type(self), h, x, self) if isinstance(h, Variable) else h * self.slope(x)


class StraightAgain(Again):
    """h = g slope(x) with a slope that is constant piece by piece, so dh/dg = slope(x) and dh/dx = 0."""

    saves = ("self",)

    def backward(self, h: Any, x: Any) -> Any:
        return self.again_to(h, x), either.zeros_like(h)


class CurvedAgain(Again):
    """h = g slope(x), so dh/dg = slope(x) and dh/dx = g slope'(x)."""

    saves = ("grad_output", "self")

    def backward(self, h: Any, g: Any, x: Any) -> Any:
        return self.again_to(h, x), h * g * self.curvature(x)


def only_floating(input: Any, kernel: str) -> None:
    """Raise NotImplementedError, with the name of PyTorch's loop, if the elements are integers."""
    if input._array.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{BY_NUMPY[input._array.dtype].title}'")
