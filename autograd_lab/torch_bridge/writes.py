"""What is written to by ops that are not told: torch's own, and those of what runs the user's modules."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from autograd_lab.recording.recorder import Recorder
from autograd_lab.recording.source import Site
from autograd_lab.recording.values import Snapshot, same
from autograd_lab.torch_bridge.schema import plan_of
from autograd_lab.torch_bridge.stack import Whose
from autograd_lab.torch_bridge.tensors import taken
from autograd_lab.torch_bridge.torch_recorder import TorchRecorder


@dataclass(slots=True)
class Write:
    """A write to a known tensor, still to be told; if there is a value `before`, only if that has changed."""

    tensor: weakref.ref[Any]
    op: str
    site: Site
    before: Snapshot | None


class Writes(TorchRecorder):
    """Keeps the values of known tensors true while others than the user write to them.

    `_quiet` says who has made the call that runs, if that is none of the user's.
    """

    def __init__(self, beside: Recorder) -> None:
        super().__init__(beside)
        self._last_writes: dict[int, str] = {}
        self._quiet_writes: dict[int, Write] = {}
        self._steps_now = False
        self._quiet: Whose | None = None

    def note_write(self, op: Any, args: Any, frame: FrameType | None) -> None:
        """Torch has written to something of its own accord; it is told when the call of the user's returns."""
        plan = plan_of(op)
        for tensor in plan.written_first(args):
            self._last_writes[id(tensor)] = plan.name.removeprefix("_foreach_")
            if not self._steps_now and self._ids.knows(tensor):
                self._quiet_writes[id(tensor)] = self._write(tensor, self._last_writes[id(tensor)], frame, None)

    def _modified(self, tensor: Any, op: str, site: Site, storage: str | None = None) -> None:
        if self._ids.blank:
            self._ids.blank.discard(self._ids.memory(tensor)[2])
        super()._modified(tensor, op, site, storage)

    def note_sharing(self, tensors: Any, name: str, frame: FrameType | None) -> None:
        """What runs the user's modules is about to write to tensors: mostly what is there already, on one process.

        It may be written by another thread. What has come of it is seen when the user's program goes on.
        """
        if self._steps_now or self.busy:
            return
        with self.look:
            for tensor in (known for written in tensors for known in self._ids.in_memory_of(written)):
                if id(tensor) not in self._quiet_writes and (tensor.is_cpu or not is_alone()):
                    before = taken(tensor) if tensor.is_cpu else None  # to compare others would be to wait
                    self._quiet_writes[id(tensor)] = self._write(tensor, name, frame, before)

    def _write(self, tensor: Any, name: str, frame: FrameType | None, before: Snapshot | None) -> Write:
        return Write(weakref.ref(tensor), name, self._sites.here(frame)[0], before)

    def tell_quiet_writes(self) -> None:
        """What was written to, `clip_grad_norm_` say, of the tensors that are known."""
        writes, self._quiet_writes = self._quiet_writes, {}
        for write in writes.values():
            tensor = write.tensor()
            if tensor is None:
                continue
            if write.before is not None and same(write.before, now := taken(tensor)):
                self._ids.ledger.keep(self._id(tensor), self._version_of(tensor), now)
            else:
                self.written_at(tensor, write.op, write.site)


def is_alone() -> bool:
    """Whether there is a group of processes, with one member."""
    return is_shared_out() and torch.distributed.get_world_size() == 1


def is_shared_out() -> bool:
    """Whether other processes may have a part in gradients."""
    return torch.distributed.is_available() and torch.distributed.is_initialized()
