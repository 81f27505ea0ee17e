"""What an op takes: as it is told, with the edges that gradients will take back."""

from __future__ import annotations

from types import FrameType
from typing import Any

import torch

from autograd_lab.events import TensorCreated, Value
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.program.source import Site
from autograd_lab.recording.tape import Tape
from autograd_lab.torch_bridge.reading.tensors import may_be_asked
from autograd_lab.torch_bridge.underway import Underway

Edge = tuple[str, int]
"""A node's id, or a leaf's, and the number of the output."""
Operand = tuple[str | None, Any, Edge | None]
"""A tensor's id or a number; and where the tensor's gradient would have gone before the op."""


class Operands:
    """Takes operands down, before an op runs and after."""

    def __init__(self, tape: Tape, underway: Underway, notices: Notices, first_sight: FirstSight) -> None:
        self._tape, self._ids, self._id, self._node = tape, tape.ids, tape.id, tape.node
        self._underway, self._notices, self._first_sight = underway, notices, first_sight

    def before(
        self, value: Any, site: Site, frame: FrameType | None, recording: bool, is_written: bool, in_place: bool = False
    ) -> Operand:
        """An operand of an op that is about to run, maybe in place, and maybe `recording`."""
        if not isinstance(value, torch.Tensor):
            return None, value, None
        new = is_written and not self._ids.knows(value) and self._underway.is_recorded()
        identity = self._first_sight.met(value, site, frame)
        if not in_place:
            self._notices.look_again(value, identity)
        raw = self._tape.raw
        if new and raw and raw[-1][0] == TensorCreated.kind:  # memory for a gradient, still to be filled
            *note, facts = raw[-1]
            raw[-1] = (*note, (*facts[:-1], Value()))
        edge = None
        if recording and value.requires_grad and may_be_asked(value):
            edge = (identity, 0) if value.is_leaf else (self._node(value.grad_fn), value.output_nr)
        return identity, None, edge

    def after(self, node: Any, operands: tuple[Operand, ...]) -> tuple[Any, ...]:
        """The operands with the numbers of the edges that their gradients take, now that the op has its node."""
        if node is None:
            return tuple([(identity, number, None) for identity, number, _ in operands])
        left = [self.end_of(edge) for edge in node.next_functions]
        taken = []
        for identity, number, end in operands:
            edge = None if end is None or end not in left else left.index(end)
            if edge is not None:
                left[edge] = None
            taken.append((identity, number, edge))
        return tuple(taken)

    def end_of(self, edge: Any) -> Edge | None:
        """Where an edge of a node leads to."""
        target, number = edge
        if target is None:
            return None
        leaf = getattr(target, "variable", None)
        return (self._node(target), number) if leaf is None else (self._id(leaf), 0)
