"""What is written to by ops that are not told: torch's own, and those of what runs the user's modules."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from autograd_lab.recording.program.source import Site
from autograd_lab.recording.values.snapshot import Snapshot, same
from autograd_lab.recording.writes import Writes
from autograd_lab.torch_bridge.look import Look
from autograd_lab.torch_bridge.ops.schema import plan_of
from autograd_lab.torch_bridge.reading.tensors import snapshot_of
from autograd_lab.torch_bridge.torch_recorder import TorchTape


@dataclass(slots=True)
class Write:
    """A write to a known tensor, still to be told; if there is a value `before`, only if that has changed."""

    tensor: weakref.ref[Any]
    op: str
    site: Site
    before: Snapshot | None


class QuietWrites:
    """Keeps the values of known tensors true while others than the user write to them.

    Writes are `waiting` to be told; those of an optimizer's step, while it is `in_step`, are told by that. `last` are
    the names of ops that have written to tensors, by their addresses.
    """

    def __init__(self, tape: TorchTape, look: Look, writes: Writes) -> None:
        self._tape, self._look, self._writes = tape, look, writes
        self.waiting: dict[int, Write] = {}
        self.last: dict[int, str] = {}
        self.in_step = False

    def note(self, op: Any, args: Any, frame: FrameType | None) -> None:
        """Torch has written to something of its own accord; it is told when the call of the user's returns."""
        plan = plan_of(op)
        for tensor in plan.written_first(args):
            self.last[id(tensor)] = plan.name.removeprefix("_foreach_")
            if not self.in_step and self._tape.ids.knows(tensor):
                self.waiting[id(tensor)] = self._write(tensor, self.last[id(tensor)], frame, None)

    def note_sharing(self, tensors: Any, name: str, frame: FrameType | None) -> None:
        """What runs the user's modules is about to write to tensors: mostly what is there already, on one process.

        It may be written by another thread. What has come of it is seen when the user's program goes on.
        """
        if self.in_step or self._look.busy:
            return
        with self._look:
            for tensor in (known for written in tensors for known in self._tape.ids.in_memory_of(written)):
                if id(tensor) not in self.waiting and (tensor.is_cpu or not is_alone()):
                    before = snapshot_of(tensor) if tensor.is_cpu else None  # to compare others would be to wait
                    self.waiting[id(tensor)] = self._write(tensor, name, frame, before)

    def _write(self, tensor: Any, name: str, frame: FrameType | None, before: Snapshot | None) -> Write:
        return Write(weakref.ref(tensor), name, self._tape.sites.here(frame)[0], before)

    def tell(self) -> None:
        """What was written to, `clip_grad_norm_` say, of the tensors that are known."""
        writes, self.waiting = self.waiting, {}
        for write in writes.values():
            tensor = write.tensor()
            if tensor is None:
                continue
            if write.before is not None and same(write.before, now := snapshot_of(tensor)):
                self._tape.ids.ledger.keep(self._tape.id(tensor), self._tape.version_of(tensor), now)
            else:
                self._writes.written_at(tensor, write.op, write.site)


def is_alone() -> bool:
    """Whether there is a group of processes, with one member."""
    return is_shared_out() and torch.distributed.get_world_size() == 1


def is_shared_out() -> bool:
    """Whether other processes may have a part in gradients."""
    return torch.distributed.is_available() and torch.distributed.is_initialized()
