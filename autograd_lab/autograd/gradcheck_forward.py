"""The half of `gradcheck` that is about forward mode: what a function makes of tangents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograd_lab.autograd.forward_ad import dual_level, make_dual, unpack_dual
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.numbers.dtypes import Array


class Duals:
    """A function, and the places of its inputs that have tangents: those that require a gradient.

    The function never sees the inputs themselves, but leaves that require none.
    """

    def __init__(self, func: Callable[..., Any], inputs: Sequence[Any]) -> None:
        self.func, self.inputs = func, inputs
        self.places = [at for at, one in enumerate(inputs) if isinstance(one, Variable) and one._needs]

    def jacobians(self) -> list[list[Array]]:
        """For each of these inputs and each output a row for each element: what comes of a tangent that is 1 there."""
        with dual_level():
            given, tangents = self._given(np.zeros_like)
            return [self._rows(given, tangent) for tangent in tangents]

    def _given(self, tangent: Callable[[Array], Array]) -> tuple[list[Any], list[Any]]:
        """All inputs, with tangents where they have some; and these tangents."""
        given, tangents = list(self.inputs), []
        for place in self.places:
            tangents.append(wrap(tangent(self.inputs[place]._array)))
            given[place] = make_dual(self.inputs[place].detach(), tangents[-1])
        return given, [unpack_dual(given[place]).tangent for place in self.places]

    def _rows(self, given: list[Any], tangent: Any) -> list[Array]:
        rows: list[list[Array]] = []
        for index in np.ndindex(tangent.shape):
            tangent._array[index] = 1
            pushed = [(out, unpack_dual(out).tangent) for out in self._outputs(given)]
            rows.append([np.zeros(out.numel()) if t is None else t._array.reshape(-1).copy() for out, t in pushed])
            tangent._array[index] = 0
        return [np.stack(row) for row in zip(*rows, strict=True)]

    def _outputs(self, given: Sequence[Any]) -> list[Any]:
        made = self.func(*given)
        return list(made) if isinstance(made, tuple | list) else [made]

    def unlike_zeros(self) -> tuple[Any, ...] | None:
        """Where an input without a tangent is not as one whose tangent is zeros: what is to be said of it."""
        with dual_level():
            given, _ = self._given(np.ones_like)
            for place in self.places:
                dual, plain = given[place], self.inputs[place].detach()
                found = []
                for one in (make_dual(self.inputs[place].detach(), wrap(np.zeros_like(plain._array))), plain):
                    given[place] = one
                    found.append([unpack_dual(out).tangent for out in self._outputs(given) if out.is_floating_point()])
                given[place] = dual
                for number, (zeros, none) in enumerate(zip(*found, strict=True)):
                    if zeros is not None and none is not None and not np.allclose(zeros._array, none._array):
                        return (
                            "Mismatch in tangent values for output with index: ", number, " when input: ",
                            self.inputs[place], " has an undefined tangent value. ", " Got: ", zeros, " but expected: ",
                            none,
                        )  # fmt: skip
        return None
