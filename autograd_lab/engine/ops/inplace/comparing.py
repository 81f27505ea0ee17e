"""Comparisons and logic that write their answers to a tensor: `eq_`, `logical_and_`, `bitwise_or_`, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from autograd_lab.engine.core.node import Node, NodeType
from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.modes.grad_mode import enabled
from autograd_lab.engine.numbers.dtypes import Array, of_kind
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.kinds import Elementwise
from autograd_lab.engine.ops.ground.writing import binary

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class Answered(Elementwise):
    """A question answered in the dtype of the tensor itself; nothing flows back."""

    inputs = ("self", "other")
    op = "answered"
    _ufunc: Any = None

    def forward(self, x: Array, y: Array) -> Array:
        return np.asarray(type(self)._ufunc(x, y))

    def backward(self, g: Any) -> Any:
        return tuple(None if edge[0] is None else formulas.zeros_like(g) for edge in self.next_functions)


def _question(op: str, ufunc: Any) -> Callable[[Tensor, Any], Tensor]:
    """The function that writes the answers of a ufunc over its first operand."""
    body = {"_ufunc": ufunc, "op": op}
    of_tensor = NodeType(f"{op.title()}Backward1", (Answered,), body.copy())
    of_number = NodeType(f"{op.title()}Backward0", (Answered,), {**body, "inputs": ("self",), "takes_number": True})
    return binary(cast("type[Node]", of_tensor), cast("type[Node]", of_number))


eq_ = _question("eq", np.equal)
ne_ = _question("ne", np.not_equal)
lt_ = _question("lt", np.less)
le_ = _question("le", np.less_equal)
gt_ = _question("gt", np.greater)
ge_ = _question("ge", np.greater_equal)


def _of_integers(
    op: str, ufunc: Any, kernel: str, kinds: str = "bui", numbers: bool = True
) -> Callable[[Tensor, Any], Tensor]:
    """The function that writes what a ufunc of integers or truth values gives; it never has a gradient."""

    class Written(Node):
        inputs = ("self", "other")

        def forward(self, x: Array, y: Array) -> Array:
            return np.asarray(ufunc(of_kind(kinds, x, kernel), y))

    Written.op = op
    return binary(Written, numbers=numbers)


bitwise_and_ = _of_integers("bitwise_and", np.bitwise_and, "bitwise_and_cpu")
bitwise_or_ = _of_integers("bitwise_or", np.bitwise_or, "bitwise_or_cpu")
bitwise_xor_ = _of_integers("bitwise_xor", np.bitwise_xor, "bitwise_xor_cpu")
bitwise_left_shift_ = _of_integers("bitwise_left_shift", np.left_shift, "lshift_cpu", "ui")
bitwise_right_shift_ = _of_integers("bitwise_right_shift", np.right_shift, "rshift_cpu", "ui")
gcd_ = _of_integers("gcd", np.gcd, "gcd_cpu", "ui", numbers=False)
lcm_ = _of_integers("lcm", np.lcm, "lcm_cpu", "ui", numbers=False)


def _unrecorded(op: str, ufunc: Any) -> Callable[..., Tensor]:
    """The function that writes truth values over its first operand; PyTorch does not record it formulas."""

    class Answer(Node):
        inputs = ("self", "other")
        mixes = False  # what is true is so in any dtype
        tangent = "nothing"

        def forward(self, x: Array, y: Array) -> Array:
            return ufunc(x, y).astype(x.dtype)

    Answer.op = op
    written = binary(Answer, numbers=False)

    def write(input: Tensor, other: Tensor) -> Tensor:
        before = enabled.set(False)
        try:
            return written(input, other)
        finally:
            enabled.reset(before)

    write.__name__ = write.__qualname__ = f"{op}_"
    return write


logical_and_ = _unrecorded("logical_and", np.logical_and)
logical_or_ = _unrecorded("logical_or", np.logical_or)
logical_xor_ = _unrecorded("logical_xor", np.logical_xor)
_is_zero = _unrecorded("logical_not", np.equal)
_inverted = _of_integers("bitwise_not", lambda x, _: np.invert(x), "bitwise_not_cpu")


def logical_not_(input: Tensor) -> Tensor:
    """Each element becomes 1 if it is 0, else 0."""
    return _is_zero(input, wrap(np.zeros((), input._array.dtype)))


def bitwise_not_(input: Tensor) -> Tensor:
    """Truth values become their opposites; of integers, each bit does."""
    return _inverted(input, False)
