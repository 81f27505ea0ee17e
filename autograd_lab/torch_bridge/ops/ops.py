"""Ops: each is *pending* when it has run, and told of as soon as autograd has given its result a node."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import torch

from autograd_lab.recording.program.source import COMPOSING, FOR_ITSELF, MODULES, Site, code_of
from autograd_lab.torch_bridge.ops.made import Made
from autograd_lab.torch_bridge.ops.operands import Operand, Operands
from autograd_lab.torch_bridge.ops.schema import HIDES, Plan
from autograd_lab.torch_bridge.stack import TORCH
from autograd_lab.torch_bridge.torch_recorder import TorchParts, TorchTape
from autograd_lab.torch_bridge.underway import Call
from autograd_lab.whose import Way

COMPOSING.update({os.path.join(TORCH, "autograd", "functional.py"), os.path.join(TORCH, "_functorch", "")})
MODULES.add(os.path.join(TORCH, "nn", "modules", "module.py"))
FOR_ITSELF.update({*COMPOSING, *(os.path.join(TORCH, name, "") for name in ("nn", "utils", "distributions"))})


@dataclass(slots=True)
class Pending:
    """An op that has run, but whose result may not have its node yet."""

    name: str
    operands: tuple[Operand, ...]
    outputs: tuple[Any, ...]
    written: Any
    statistics: tuple[Any, ...]
    recording: bool
    site: Site
    code: CodeType | None
    goes_on: bool


class Ops:
    """Tells of ops, from what was known before each and what is known after it."""

    def __init__(self, tape: TorchTape, parts: TorchParts, call: Call, operands: Operands, made: Made) -> None:
        self._tape, self._ids, self._id = tape, tape.ids, tape.id
        self._modules, self._forward, self._writes = parts.modules, parts.forward, parts.writes
        self._notices, self._first_sight = parts.notices, parts.first_sight
        self._call, self._operands, self._made = call, operands, made
        self.pending: Pending | None = None
        self._last_call: tuple[int, Site] | None = None
        self._steps_made: dict[int, tuple[int, Site, CodeType | None]] = {}

    # --- before it runs ----------------------------------------------------------------------------------------------

    def begin(
        self, plan: Plan, args: Any, kwargs: Any, site: Site, frame: FrameType | None, way: Way
    ) -> Pending | None:
        """What can be said before it runs of an op that the program came to on this way; None if that is nothing."""
        values, written = plan.split(args, kwargs)
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        if written is None and not tensors:
            self._call.creates = True
            return None  # a new tensor, of which is told when the call returns it
        recording = torch.is_grad_enabled() and True in [tensor.requires_grad for tensor in tensors]
        if written is not None and not recording:
            values = []  # what is told is that it was written to
        before, in_place = self._operands.before, written is not None
        operands = tuple([before(value, site, frame, recording, value is written, in_place) for value in values])
        goes_on = self._tape.steps.goes_on(site, frame, way) or self._is_same_call(site)
        goes_on = self._modules.goes_on(site, goes_on)
        if self._forward.is_by_the_way(site):
            site = site.step(plan.name.strip("_"))
        statistics = plan.statistics(args, kwargs)
        return Pending(plan.name, operands, (), written, statistics, recording, site, code_of(frame), goes_on)

    def _is_same_call(self, site: Site) -> bool:
        before, self._last_call = self._last_call, (self._call.number, site)
        return bool(self._call.depth) and before == self._last_call

    # --- when it has run ---------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Tell of the op that ran last, now that its result has its node."""
        pending, self.pending = self.pending, None
        if pending is not None:
            self._tell(pending)

    def _tell(self, op: Pending) -> None:
        subject, written = op.outputs, op.written
        if written is not None:
            base = written._base if written._is_view() else None
            subject = (written if base is None else base,)
        node = self._new_node(subject) if op.recording else None
        if written is not None and node is None:
            self._tell_written(written, op)
        elif subject:
            self._tell_applied(op, node, subject, written)
        for tensor in op.statistics:
            self._first_sight.met_as_it_is(tensor, op.site, None, is_written=True)
            self._writes.modified(tensor, "batch_norm", op.site)

    def _tell_written(self, written: Any, op: Pending) -> None:
        """An op has written to a tensor, and has no node."""
        if self._call.creates and self._call.depth and not self._ids.knows(written):
            self._made_on_the_way(written, op)
            return
        if self._id(written) not in self._notices.grads:
            self._first_sight.met_as_it_is(written, op.site, None, is_written=True)
        self._writes.modified(written, op.name, op.site)

    def _made_on_the_way(self, tensor: Any, op: Pending) -> None:
        """This very call made a tensor, and filled it: maybe its result, mostly something that it needs."""
        self._steps_made[id(tensor)] = len(self._tape.raw), op.site, op.code
        self._first_sight.describe(tensor, op.site.step(op.name.strip("_")))

    def call_begins(self) -> None:
        """A function of torch's is called, which has not made anything yet."""
        self._call.creates = False
        self._steps_made.clear()

    def made_by_steps(self, tensor: Any) -> None:
        """A tensor is what the call gave; so what the program calls it is known, if it was told of as a step."""
        at, site, code = self._steps_made.get(id(tensor), (0, None, None))
        raw = self._tape.raw
        if site is not None and at < len(raw):
            kind, number, facts = raw[at]
            raw[at] = kind, number, (facts[0], site.expression, *facts[2:])
            self._tape.names.promise(facts[:1], site, code)

    def _tell_applied(self, op: Pending, node: Any, outputs: tuple[Any, ...], written: Any) -> None:
        if op.name in HIDES:
            outputs = tuple(out for at, out in enumerate(outputs) if at == 0 or id(out) in self._call.returned)
        operands = op.operands
        if written is not None and outputs[0] is not written:  # through a view: the write is to its base
            end = self._operands.end_of(node.next_functions[0])
            operands = ((self._id(outputs[0]), None, end), *operands[1:])
        taken = self._operands.after(node, operands)
        name = op.name.lstrip("_") if node is None else node.name()
        if op.name == "_unsafe_view":  # of a copy that nobody has
            self._ids.renew(outputs[0])
        if op.name.startswith("unsafe_split"):
            for output in outputs:
                self._ids.part(output)
        self._forward.applied(node, name, taken, outputs, written is not None, op.site, op.code, op.goes_on)
        if node is not None:
            self._made.note(node, outputs)
        if written is not None and outputs[0] is not written:
            self._made.catch_up(written)

    def _new_node(self, outputs: tuple[Any, ...]) -> Any:
        """The node that was made for some of the outputs just now."""
        for output in outputs:
            node = output.grad_fn if output.requires_grad and not output.is_leaf else None
            if node is not None and self._ids.is_new(node):
                return node
        return None
