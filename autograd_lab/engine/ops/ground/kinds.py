"""What most ops are: which of their elements depend on which, and so how a tangent goes through them.

An op says so by its base class here, or by its `tangent`; `engine/forward/kinds.py` says what each word means.
"""

from __future__ import annotations

from typing import Any, ClassVar

from autograd_lab.engine.core.hooks import current
from autograd_lab.engine.core.node import LEAF, Node
from autograd_lab.engine.modes import handles


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


class Undifferentiable(Node):
    """An op that PyTorch records without knowing its derivative: backward through it is refused.

    Its edges are those of the operands that require grad.
    """

    needs_gradient = False  # it refuses whatever comes, and whoever asks
    __slots__ = ("_edges",)

    @property
    def next_functions(self) -> Any:
        """Where gradients would go."""
        return self._edges

    @next_functions.setter
    def next_functions(self, edges: Any) -> None:
        self._edges = tuple([edge for edge in edges if edge[0] is not None])

    @property
    def seq(self) -> int:
        """As of a leaf: it runs, and so refuses, before all nodes that could."""
        return LEAF

    @seq.setter
    def seq(self, number: int) -> None:
        handles.asked = True
        self.age = number  # type: ignore[misc]  # the slot of its base

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__name__ = "NotImplemented"

    def name(self) -> str:
        """The name that PyTorch gives it, with its namespace."""
        return "torch::autograd::NotImplemented"

    def backward(self, g: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{self.op} is not implemented")


def is_wanted(node: Node, position: int) -> bool:
    """Whether the pass that runs goes on to an operand of a node: with `inputs` it may go past one that needs it."""
    target, reached = node.next_functions[position][0], getattr(current.get(), "reached", None)
    return target is not None and (reached is None or target in reached)
