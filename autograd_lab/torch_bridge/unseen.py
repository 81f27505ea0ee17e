"""What torch makes where no mode can see it, found as soon as something else happens: custom Functions, Parameters."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import torch

from autograd_lab import events
from autograd_lab.recording.recorder import Recorder
from autograd_lab.recording.source import Site, locals_of, look_up
from autograd_lab.torch_bridge.internals import APPLY, PARAMETER
from autograd_lab.torch_bridge.ops import Operand, Ops
from autograd_lab.torch_bridge.stack import Whose, asks, whose
from autograd_lab.torch_bridge.tensors import node_of


@dataclass
class Applied:
    """A custom Function whose forward runs, where it was applied; and the tensors that may be what it returns."""

    name: str
    operands: tuple[Operand, ...]
    site: Site
    code: CodeType | None
    frame: FrameType
    tensors: list[weakref.ref[Any]] = field(default_factory=list)


@dataclass
class NewParameter:
    """A Parameter made at a site of a tensor that is known."""

    site: Site
    code: CodeType | None
    source: str
    storage: str


class Unseen(Ops):
    """Looks for what has come about between two ops. `mode` is whether the program has recording switched on."""

    def __init__(self, beside: Recorder) -> None:
        super().__init__(beside)
        self.mode, self.inference = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        self._function: Applied | None = None
        self._parameters: list[NewParameter] = []

    def settle(self) -> None:
        pending = self._pending
        super().settle()
        function = self._function
        if function is not None:
            outputs = () if pending is None else pending.outputs or (pending.written,)
            function.tensors += [weakref.ref(one) for one in outputs if one is not None]
            if _application(sys._getframe(1)) is not function.frame:
                self._function = None
                self._tell_function(function, self._here()[1])
        if self._parameters:
            self._look_for_parameters(self._here()[1])

    # --- custom Functions --------------------------------------------------------------------------------------------

    def in_frame(self, users: FrameType | None, deepest: FrameType | None) -> None:
        if self._function is None:
            in_forward = users is not None and users.f_back is not None and users.f_back.f_code is APPLY
            if in_forward or torch.is_grad_enabled() != self.mode:
                self._look_for_function(deepest)

    def _look_for_function(self, frame: FrameType | None) -> None:
        """The forward of a custom Function runs, it seems: the outermost there is has a node."""
        found = _application(frame)
        if found is not None:
            site, users = self._sites.here(found.f_back)
            known = locals_of(found)
            given = [one for one in known["args"] if isinstance(one, torch.Tensor)]
            operands = tuple(self._operand(one, site, users, True, False) for one in given)
            name = known["cls"].__name__
            code = None if users is None else users.f_code
            self._function = Applied(name, operands, site, code, found, [weakref.ref(one) for one in given])

    def _tell_function(self, done: Applied, frame: FrameType | None) -> None:
        alive = [tensor for tensor in (ref() for ref in done.tensors) if tensor is not None]
        made = {tensor.output_nr: tensor for tensor in alive if self._is_new(tensor)}
        if made:
            outputs = tuple(made[number] for number in sorted(made))
            node = outputs[0].grad_fn
            outputs = self._as_assigned(done, frame, alive, outputs)
            taken = self._with_edges(node, done.operands)
            self._applied(node, node.name(), taken, outputs, False, done.site, done.code, False)
            self._note_made(node, outputs)
            given = {identity for identity, _, _ in done.operands}
            for output in outputs:
                if self._id(output) in given:  # `mark_dirty` counts as a write, too
                    self._modified(output, node.name(), done.site)
        elif len(alive) > len(done.operands):
            taken = self._with_edges(None, done.operands)
            self._applied(None, done.name, taken, (alive[-1],), False, done.site, done.code, False)

    def _as_assigned(
        self, done: Applied, frame: FrameType | None, alive: list[Any], outputs: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """All outputs, also those without gradients, if they were assigned to as many names."""
        if frame is None or frame.f_code is not done.code or len(done.site.targets) <= len(outputs):
            return outputs
        found = tuple(look_up(name, frame) for name in done.site.targets)
        known = all(any(one is tensor for tensor in alive) for one in found)
        return found if known else outputs

    def _is_new(self, tensor: Any) -> bool:
        return tensor.requires_grad and self._ids.is_new(node_of(tensor))

    # --- Parameters --------------------------------------------------------------------------------------------------

    def note_write(self, op: Any, args: Any, frame: FrameType | None) -> None:
        super().note_write(op, args, frame)
        while frame is not None and whose(frame.f_code) is Whose.OURS:
            frame = frame.f_back
        if frame is not None and frame.f_code is PARAMETER:
            self._note_parameter(frame, args[0])

    def _note_parameter(self, frame: FrameType, source: Any) -> None:
        if not self._ids.knows(source) or self._id(source) not in self._ids.described:
            return
        site, users = self._sites.here(frame)
        if asks(frame.f_back) is Whose.USERS and users is not None:
            storage = self._ids.memory(source)[2]
            self._parameters.append(NewParameter(site, users.f_code, self._id(source), storage))

    def _look_for_parameters(self, frame: FrameType | None) -> None:
        for note in list(self._parameters):
            if frame is not None and frame.f_code is note.code:
                for name in note.site.targets:
                    self.parameter_found(look_up(name, frame))

    def parameter_found(self, part: Any) -> bool:
        """Whether a thing is a Parameter that was made of a known tensor; of which is told, then."""
        if not isinstance(part, torch.nn.Parameter) or self._ids.knows(part):
            return False
        storage = self._ids.memory(part)[2]
        note = next((one for one in self._parameters if one.storage == storage), None)
        if note is None:
            return False
        self._parameters.remove(note)
        facts = self._ids.facts(part, note.site.expression)
        self._names.promise(facts[:1], note.site, note.code)
        self._push((events.TensorDetached.kind, note.site.number, facts, note.source, "Parameter"))
        return True

    def _met(self, tensor: Any, site: Site, frame: Any, is_written: bool = False) -> str:
        if self._parameters:
            self.parameter_found(tensor)
        return super()._met(tensor, site, frame, is_written)


def _application(frame: FrameType | None) -> FrameType | None:
    """The outermost application of a custom Function that runs, up to the backward pass."""
    found = None
    while frame is not None and whose(frame.f_code) is not Whose.ENGINE:
        found = frame if frame.f_code is APPLY else found
        frame = frame.f_back
    return found
