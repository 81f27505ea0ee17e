"""Parameters that are made of tensors, which no mode sees: found by what shares the memory of those."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import torch

from autograd_lab import events
from autograd_lab.recording.program.source import Site
from autograd_lab.recording.program.variables import look_up
from autograd_lab.torch_bridge.internals import PARAMETER
from autograd_lab.torch_bridge.stack import Whose, asks, whose
from autograd_lab.torch_bridge.torch_recorder import TorchTape


@dataclass
class NewParameter:
    """A Parameter made at a site of a tensor that is known."""

    site: Site
    code: CodeType | None
    source: str
    storage: str


class NewParameters:
    """Remembers that Parameters were made until it meets them; these are `waiting`."""

    def __init__(self, tape: TorchTape) -> None:
        self._tape = tape
        self.waiting: list[NewParameter] = []

    def note_write(self, args: Any, frame: FrameType | None) -> None:
        """Torch has run an op of its own accord: because it makes a Parameter of its operand, maybe."""
        while frame is not None and whose(frame.f_code) is Whose.OURS:
            frame = frame.f_back
        if frame is None or frame.f_code is not PARAMETER or not self._tape.is_described(args[0]):
            return
        site, users = self._tape.sites.here(frame)
        if asks(frame.f_back) is Whose.USERS and users is not None:
            source = args[0]
            storage = self._tape.ids.memory(source)[2]
            self.waiting.append(NewParameter(site, users.f_code, self._tape.id(source), storage))

    def look_for(self, frame: FrameType | None) -> None:
        """The program has come to a frame, where variables may mean new Parameters."""
        for note in list(self.waiting):
            if frame is not None and frame.f_code is note.code:
                for name in note.site.targets:
                    self.tell(look_up(name, frame))

    def before_met(self, tensor: Any, *_: Any) -> None:
        """A tensor that is about to be met may be one of them."""
        if self.waiting:
            self.tell(tensor)

    def tell(self, part: Any) -> bool:
        """Whether a thing is a Parameter that was made of a known tensor; of which is told, then."""
        tape = self._tape
        if not isinstance(part, torch.nn.Parameter) or tape.ids.knows(part):
            return False
        storage = tape.ids.memory(part)[2]
        note = next((each for each in self.waiting if each.storage == storage), None)
        if note is None:
            return False
        self.waiting.remove(note)
        facts = tape.ids.facts(part, note.site.expression)
        tape.names.promise(facts[:1], note.site, note.code)
        tape.push((events.TensorDetached.kind, note.site.number, facts, note.source, "Parameter"))
        return True
