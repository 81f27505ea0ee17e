"""Custom Functions, which no mode sees: found by the frames on the stack and by what is new."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import torch

from autograd_lab.recording.forward import Forward
from autograd_lab.recording.program.source import Site, code_of
from autograd_lab.recording.program.variables import locals_of, look_up
from autograd_lab.recording.whereabouts import Whereabouts
from autograd_lab.recording.writes import Writes
from autograd_lab.torch_bridge.grad_mode import GradMode
from autograd_lab.torch_bridge.internals import APPLY
from autograd_lab.torch_bridge.ops.made import Made
from autograd_lab.torch_bridge.ops.operands import Operand, Operands
from autograd_lab.torch_bridge.ops.ops import Pending
from autograd_lab.torch_bridge.reading.tensors import node_of
from autograd_lab.torch_bridge.stack import Whose, whose
from autograd_lab.torch_bridge.torch_recorder import TorchTape


@dataclass
class Applied:
    """A custom Function whose forward runs, where it was applied; and the tensors that may be what it returns."""

    name: str
    operands: tuple[Operand, ...]
    site: Site
    code: CodeType | None
    frame: FrameType
    tensors: list[weakref.ref[Any]] = field(default_factory=list)


class CustomFunctions:
    """Tells of a custom Function, which is `running` between two ops of its forward, once that is over."""

    def __init__(
        self, tape: TorchTape, whereabouts: Whereabouts, forward: Forward, writes: Writes, grad_mode: GradMode,
        operands: Operands, made: Made,
    ) -> None:  # fmt: skip
        self._tape, self._here, self._forward, self._writes = tape, whereabouts.now, forward, writes
        self._grad_mode, self._operands, self._made = grad_mode, operands, made
        self.running: Applied | None = None

    def in_frame(self, users: FrameType | None, deepest: FrameType | None) -> None:
        """An op is about to run in a frame of the user's, called at another below: in a forward, maybe."""
        if self.running is None:
            in_forward = users is not None and users.f_back is not None and users.f_back.f_code is APPLY
            if in_forward or torch.is_grad_enabled() != self._grad_mode.enabled:
                self._look_for(deepest)

    def _look_for(self, frame: FrameType | None) -> None:
        """The forward of a custom Function runs, it seems: the outermost there is has a node."""
        application = _application(frame)
        if application is not None:
            site, users = self._tape.sites.here(application.f_back)
            known = locals_of(application)
            given = [thing for thing in known["args"] if isinstance(thing, torch.Tensor)]
            operands = tuple(self._operands.before(tensor, site, users, True, False) for tensor in given)
            tensors = [weakref.ref(tensor) for tensor in given]
            self.running = Applied(known["cls"].__name__, operands, site, code_of(users), application, tensors)

    def settle(self, pending: Pending | None) -> None:
        """An op was told of, if any was pending; is the forward that it was in over?"""
        function = self.running
        if function is not None:
            outputs = () if pending is None else pending.outputs or (pending.written,)
            function.tensors += [weakref.ref(output) for output in outputs if output is not None]
            if _application(sys._getframe(1)) is not function.frame:
                self.running = None
                self._tell(function, self._here()[1])

    def _tell(self, done: Applied, frame: FrameType | None) -> None:
        alive = [tensor for tensor in (ref() for ref in done.tensors) if tensor is not None]
        made = {tensor.output_nr: tensor for tensor in alive if self._is_new(tensor)}
        if made:
            outputs = tuple(made[number] for number in sorted(made))
            self._tell_recorded(done, outputs[0].grad_fn, _assigned_outputs(done, frame, alive, outputs))
        elif len(alive) > len(done.operands):
            taken = self._operands.after(None, done.operands)
            self._forward.applied(None, done.name, taken, (alive[-1],), False, done.site, done.code, False)

    def _tell_recorded(self, done: Applied, node: Any, outputs: tuple[Any, ...]) -> None:
        taken = self._operands.after(node, done.operands)
        self._forward.applied(node, node.name(), taken, outputs, False, done.site, done.code, False)
        self._made.note(node, outputs)
        given = {identity for identity, _, _ in done.operands}
        for output in outputs:
            if self._tape.id(output) in given:  # `mark_dirty` counts as a write, too
                self._writes.modified(output, node.name(), done.site)

    def _is_new(self, tensor: Any) -> bool:
        return tensor.requires_grad and self._tape.ids.is_new(node_of(tensor))


def _assigned_outputs(
    done: Applied, frame: FrameType | None, alive: list[Any], outputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """All outputs, also those without gradients, if they were assigned to as many names."""
    if frame is None or frame.f_code is not done.code or len(done.site.targets) <= len(outputs):
        return outputs
    meant = tuple(look_up(name, frame) for name in done.site.targets)
    known = all(any(thing is tensor for tensor in alive) for thing in meant)
    return meant if known else outputs


def _application(frame: FrameType | None) -> FrameType | None:
    """The outermost application of a custom Function that runs, up to the backward pass."""
    outermost = None
    while frame is not None and whose(frame.f_code) is not Whose.ENGINE:
        outermost = frame if frame.f_code is APPLY else outermost
        frame = frame.f_back
    return outermost
