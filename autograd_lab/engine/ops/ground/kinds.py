"""What most ops are: which of their elements depend on which, and so how a tangent goes through them.

An op says so by its base class here, or by its `tangent`; `engine/forward/kinds.py` says what each word means.
"""

from __future__ import annotations

from typing import ClassVar

from autograd_lab.engine.core.node import Node


class Linear(Node):
    """An op that can be applied to tangents as it is: a view, a sum, a choice of elements."""

    tangent: ClassVar[str] = "linear"


class Elementwise(Node):
    """An op each element of whose result depends on one element of each operand alone."""

    tangent: ClassVar[str] = "diagonal"


class Pointwise(Elementwise):
    """A function of one tensor whose results are floating."""

    floats = True


class Binary(Elementwise):
    """An op on two operands; a number among them is the second one."""

    inputs = ("self", "other")
