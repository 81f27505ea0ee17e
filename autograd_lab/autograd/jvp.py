"""What a `Function` does in forward mode: it asks the user's `jvp`, which is to do to tangents as `forward` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_lab.autograd.context import BackwardCFunction
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.exact.aliasing import is_view
from autograd_lab.engine.tensor.factories import zeros_like

NONE_EXPECTED = (
    "Function's jvp returned a gradient at position {}, but  the corresponding forward output is not a differentiable "
    "Tensor.You should return None at that position instead."
)
NOT_IN_PLACE = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace."
)
NOT_A_VIEW = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
OF_ANOTHER = "A custom Function is returning a view but the jvp is not returning a view of the given grad input."
OF_ANOTHER_BASE = (
    "A custom Function is returning a view but the jvp is not returning a view of the same base as the given grad "
    "input."
)


class Pushed:
    """A use of a `Function` that is to give its outputs tangents; `written` and `constant` are what forward marked."""

    def __init__(self, ctx: BackwardCFunction, args: Sequence[Any], written: Sequence[Any], constant: Sequence[Any]):
        self.ctx, self.args, self.written, self.constant = ctx, args, written, constant

    def push(self, outputs: Sequence[Any]) -> None:
        """Give the outputs the tangents that `jvp` finds, at each level."""
        for at in range(1, forward.level + 1):
            tangents = [forward.tangent_of(arg, at) for arg in self.args]
            if any(tangent is not None for tangent in tangents):
                self._push(at, tangents, outputs)

    def _push(self, at: int, tangents: list[Any], outputs: Sequence[Any]) -> None:
        versions = [None if tangent is None else tangent._version for tangent in tangents]
        given = tangents
        if self.ctx.materialize_grads:
            given = [_zeros(arg) if t is None else t for arg, t in zip(self.args, tangents, strict=True)]
        with forward.below(at), self.ctx.in_forward_mode():
            found = self.ctx._forward_cls.jvp(self.ctx, *given)
        found = found if isinstance(found, tuple) else (found,)
        for position, one in enumerate(found):
            if one is not None and not isinstance(one, Variable):
                kind = type(one).__name__
                raise RuntimeError(f"expected Variable or None (got {kind}) for grad output {position}.")
        if len(found) != len(outputs):
            expected = f"expected {len(outputs)} but got {len(found)}"
            raise RuntimeError(f"Function's jvp returned an invalid number of forward gradients ({expected})")
        for position, pair in enumerate(zip(outputs, found, strict=True)):
            self._give(at, position, *pair, tangents, versions)

    def _give(self, at: int, position: int, out: Any, tangent: Any, before: Sequence[Any], versions: Any) -> None:
        """Give one output its tangent at a level. Raises RuntimeError where forward has done something else."""
        if not isinstance(out, Variable):
            return
        if self._is_constant(out):
            if tangent is not None:
                raise RuntimeError(NONE_EXPECTED.format(position))
        elif tangent is not None and not self._was_written(out, tangent, before, versions):
            if is_view(out):
                _check_view(out, tangent, self.args, before)
            forward.set_tangent(out, at, tangent)

    def _is_constant(self, out: Any) -> bool:
        return out._array.dtype.kind not in "fV" or any(out is one for one in self.constant)

    def _was_written(self, out: Any, tangent: Any, before: Sequence[Any], versions: Sequence[Any]) -> bool:
        """Whether the output is an input that forward wrote to, whose tangent `jvp` has to write to, as it did."""
        if not any(out is one for one in self.written):
            return False
        place = next((place for place, arg in enumerate(self.args) if arg is out), None)
        if place is None or before[place] is None:
            return False
        if tangent is not before[place] or tangent._version == versions[place]:
            raise RuntimeError(NOT_IN_PLACE)
        return True


def _zeros(arg: Any) -> Any:
    return zeros_like(arg) if isinstance(arg, Variable) and arg._array.dtype.kind in "fV" else None


def _check_view(out: Any, tangent: Any, args: Sequence[Any], tangents: Sequence[Any]) -> None:
    """The tangent of a view has to be one, too: of the tangent of the input that `out` is a view of."""
    if not is_view(tangent):
        raise RuntimeError(NOT_A_VIEW)
    base = out._extra.base
    for arg, own in zip(args, tangents, strict=True):
        if own is None or not (arg is base or (is_view(arg) and arg._extra.base is base)):
            continue
        if is_view(own) and tangent._extra.base is not own._extra.base:
            raise RuntimeError(OF_ANOTHER_BASE)
        if not is_view(own) and tangent._extra.base is not own:
            raise RuntimeError(OF_ANOTHER)
