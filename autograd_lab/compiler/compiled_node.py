"""The node of a compiled call: one for the whole graph, whose formula is the compiled backward program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograd_lab.engine.core.node import Made, Node
from autograd_lab.engine.core.variable import Variable, wrap

TWICE = "torch.compile with aot_autograd does not currently support double backward"


class CompiledFunctionBackward(Node):
    """All that was captured of a function: its formula is the backward half of the graph.

    `_numbers` tells of saved values which output they are, if they are one.
    """

    __slots__ = ("_numbers", "_program", "many")

    inputs = ()
    needs_gradient = False
    _numbers: dict[int, int]
    _program: Any
    many: bool  # type: ignore[misc]  # a class has it elsewhere, each program here

    def slot_name(self, position: int) -> str:
        """What the listing calls what is saved."""
        return str(self._program.graph.inputs[position])

    def output_number(self, position: int) -> int:
        """Which output it is that is saved at `position`."""
        return self._numbers[position]

    def saved_slots(self) -> list[tuple[str, Any, Any, int]]:
        """Inputs by themselves; what was computed in between as if it were an input, too: it has no other node."""
        found: list[tuple[str, Any, Any, int]] = []
        for position, (source, _, version) in enumerate(_triples(self._saved or ())):
            tensor = source if isinstance(source, Variable) else wrap(np.asarray(source))
            found.append((self.slot_name(position), tensor, tensor._array, version))
        return found

    def arrays(self) -> Sequence[Any]:
        """What was saved, in the order in which the backward program takes it."""
        if self._saved is None:
            raise self._second_time()
        for position, (_, cell, version) in enumerate(_triples(self._saved)):
            if cell[0] != version:
                raise self._modified(position)
        return [one._array if isinstance(one, Variable) else one for one in self._saved[::3]]

    def tensors(self) -> list[Any]:
        """Refused: there is no graph of the gradients."""
        raise RuntimeError(TWICE)

    def backward(self, g: Any, *saved: Any) -> Any:
        gradients = g if self.many else [g]
        if any(isinstance(one, Variable) for one in gradients):
            raise RuntimeError(TWICE)
        layout = (Made(self.shape, self.dtype), *self.others)
        given = [np.zeros(*made) if one is None else one for one, made in zip(gradients, layout, strict=True)]
        return self._program(*saved, *given)


def _triples(flat: Sequence[Any]) -> Iterator[tuple[Any, Any, int]]:
    return zip(flat[::3], flat[1::3], flat[2::3], strict=True)
