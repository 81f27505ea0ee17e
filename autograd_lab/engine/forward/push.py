"""How the tangent of an op's result comes about: a rule for each kind of op, on tensors, so that it records itself.

Tangents travel with the values: nothing is kept for later, and each rule costs about what its op does. It is no double
backward, but for a few ops that have no other rule (`transposed`). Most ops are of a kind: *linear* ones are applied to
the tangent itself; where each element of the result depends on one element of an operand alone, the op's own backward
formula is the rule, as a diagonal Jacobian is its own transpose; and where each element of the operand reaches one
element of the result, the gradient is multiplied by the tangent and added up. Each op says of which kind it is, as its
`tangent`; one that does not is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_lab.engine.core.apply import Number, apply1, apply_view
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import NO_EDGE, Variable, wrap
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.exact.aliasing import Geometry
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.ops.shape.views import AliasBackward0, as_strided

REFUSED = "Trying to use forward AD with {} that does not support it because it has not been implemented yet."


@dataclass
class Push:
    """An op that has run, and the tangents of its operands at one level; `again` applies it to other operands."""

    node: Any
    operands: Sequence[Any]
    tangents: Sequence[Any]
    outputs: Sequence[Any]
    again: Callable[[Sequence[Any]], Any]

    def pulled(self, at: int, g: Any) -> Any:
        """What the op's backward formula sends to operand number `at`."""
        node, edges = self.node, getattr(self.node, "next_functions", None)
        count = len(self.operands[: node.differentiable])
        node.next_functions = tuple([(node, 0) if other == at else NO_EDGE for other in range(count)])
        if edges is None:  # it was not recorded
            node.shape, node.dtype = self.outputs[0]._array.shape, self.outputs[0]._array.dtype
        try:
            sent = node.backward(g, *self._saved(at))
        finally:
            node.next_functions = edges
        return sent[at] if type(sent) is tuple else sent

    def _saved(self, at: int) -> list[Any]:
        found: list[Any] = []
        for slot, (position, needed_by) in zip(self.node.saves, self.node.plan, strict=True):
            if needed_by not in (-1, at):
                found.append(None)
            elif position < 0:
                found.append(self.outputs[self.node.outputs.index(slot)])
            else:
                operand = self.operands[position]
                found.append(operand._cell[1] if isinstance(operand, Number) else operand)
        return found

    def put(self, at: int, tangent: Any) -> Any:
        """The op with one operand replaced."""
        return self.again([tangent if other == at else one for other, one in enumerate(self.operands)])

    def given(self) -> list[tuple[int, Any]]:
        """The tangents that there are, with the numbers of their operands."""
        return [(at, tangent) for at, tangent in enumerate(self.tangents) if tangent is not None]

    def idle(self, *numbers: int) -> list[Any]:
        """Zeros, one for each factor of a product that has no tangent, if another needs a gradient.

        As in PyTorch what comes of them needs a gradient, too, and sends zeros back.
        """
        found = []
        for at in numbers:
            if self.tangents[at] is None and self.operands[at] is not None:
                beside = [self.operands[other] for other in numbers if other != at]
                needy = [one for one in beside if one is not None and one._needs]
                found += [apply1(Idle, one, self.outputs[0]._array) for one in needy]
        return found


class Idle(Node):
    """Zeros like a result, which do not depend on x but have a graph with it in it."""

    inputs = ("self",)
    __slots__ = ("_kind", "_size")
    tangent = "linear"

    def forward(self, x: Any, like: Any) -> Any:
        self._size, self._kind = x.shape, x.dtype
        return np.full_like(like, -0.0)  # which leaves the sign of a zero as it is

    def backward(self, g: Any) -> Any:
        sent = np.zeros(self._size, self._kind)
        return wrap(sent) if isinstance(g, Variable) else sent


Rule = Callable[[Push], Sequence[Any]]
RULES: dict[str, Rule] = {}


def rule(of: Rule) -> Rule:
    """Make a function the rule of all ops that declare its name as their `tangent`."""
    RULES[of.__name__] = of
    return of


def pushed(
    node: Node, operands: Sequence[Any], tangents: Sequence[Any], outputs: Sequence[Any], again: Any
) -> Sequence[Any]:
    """The tangents of the results, None for those that have none. Raises NotImplementedError for ops without any."""
    if all(output._array.dtype.kind not in "fV" for output in outputs):
        return ()
    kind = type(node).tangent
    if not kind:
        raise NotImplementedError(REFUSED.format(node.op))
    with halves.among(halves.tangents):
        return RULES[kind](Push(node, operands, tangents, outputs, again))


def shown(tangent: Any, view: Any, base: Any) -> Any:
    """What a view shows of its base's tangent."""
    place = Geometry(view._array, base._array)
    return as_strided(tangent, place.shape, place.strides, place.offset)


def laid_out(tangent: Any, like: Any) -> Any:
    """A copy of a tangent, in memory as `like` lies there."""
    copy = wrap(np.empty_like(like._array, dtype=tangent._array.dtype, subok=False))
    return copy.copy_(tangent)


def seen(tensor: Any) -> Any:
    """A view of all of a tensor."""
    return apply_view(AliasBackward0, tensor)


def zeros_like(tensor: Any) -> Any:
    """Zeros in the shape, dtype and layout of a tensor."""
    return wrap(np.zeros_like(tensor._array))


forward.rules = sys.modules[__name__]
