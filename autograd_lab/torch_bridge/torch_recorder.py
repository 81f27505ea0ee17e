"""A recorder for torch's tensors and nodes: what it is told, it tells as for the engine of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from autograd_lab import events
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.program.source import Site
from autograd_lab.recording.recorder import Parts, Recorder
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.writes import Writes
from autograd_lab.torch_bridge.internals import lacking
from autograd_lab.torch_bridge.reading import tensors
from autograd_lab.torch_bridge.reading.torch_ids import TorchIds
from autograd_lab.torch_bridge.reading.torch_reader import TorchReader
from autograd_lab.trace import Trace

TENSOR_SAVED = events.TensorSaved.kind
MOVES = ("data =", "set_")
"""What gives a tensor other memory."""


class TorchTape(Tape):
    """The tape of a recorder of torch's, beside that of another engine's recorder."""

    ids: TorchIds
    reader: TorchReader

    def __init__(self, beside: Tape, trace: Trace) -> None:
        ids = TorchIds(beside.ids.numbers)
        super().__init__(TorchReader(ids), ids, beside)
        self.trace = trace


class TorchNotices(Notices):
    """Looks again, also at the counters of versions, which torch moves on by itself."""

    def look_again(self, tensor: Any, identity: str) -> None:
        ledger = self._tape.ids.ledger
        if ledger.any_open:
            super().look_again(tensor, identity)
        version = tensors.version_of(tensor)
        if ledger.is_behind(identity, version):
            self.notice(identity, version, self._tape.snapshot(tensor))
        if tensor.requires_grad and not tensor._is_view() and tensor.is_leaf:  # to ask a view may give it a new node
            self.look_at_grad(tensor, identity)


class TorchFirstSight(FirstSight):
    """Meets torch's tensors, when all was done that is due `before_met` and `before_described`.

    `savers` are the ids of nodes that have saved something.
    """

    _tape: TorchTape
    _ids: TorchIds

    def __init__(self, tape: TorchTape, notices: Notices) -> None:
        super().__init__(tape, notices)
        self.before_met: tuple[Callable[[Any, Site, bool], object], ...] = ()
        self.before_described: tuple[Callable[[Any], object], ...] = ()
        self.savers: set[str] = set()

    def met(self, tensor: Any, site: Site, frame: Any, is_written: bool = False) -> str:
        for look in self.before_met:
            look(tensor, site, is_written)
        return self.met_as_it_is(tensor, site, frame, is_written)

    def met_as_it_is(self, tensor: Any, site: Site, frame: Any, is_written: bool = False) -> str:
        """The same, when nothing is due before."""
        if not tensors.may_be_asked(tensor):  # the program made a mistake, of which torch will tell
            return self._id(tensor)
        return super().met(tensor, site, frame, is_written)

    def describe(self, tensor: Any, site: Site, is_written: bool = False, frame: Any = None) -> None:
        for look in self.before_described:
            look(tensor)
        super().describe(tensor, site, is_written)  # in a thread of torch's the frame is that of the pass, not of here

    def _made_as(self, node: Any, number: int) -> str | None:
        made = self._ids.made.get((self._node(node), number))
        return None if made is None else made.id

    def save(self, node: Any, node_id: str, outputs: Any, site: Site) -> None:
        raw = self._tape.raw
        before = len(raw)
        super().save(node, node_id, outputs, site)
        if "packed slots" in lacking and any(note[8] for note in raw[before:] if note[0] == TENSOR_SAVED):
            version = torch.__version__.partition("+")[0]
            self._tape.trace.note(f"with PyTorch {version}, {lacking['packed slots']}")
        if len(raw) > before:
            self.savers.add(node_id)


class TorchWrites(Writes):
    """Tells of writes to torch's tensors, which may have been given memory by other means."""

    _tape: TorchTape

    def modified(self, tensor: Any, op: str, site: Site, storage: str | None = None) -> None:
        ids = self._tape.ids
        if ids.blank:
            ids.blank.discard(ids.memory(tensor)[2])
        super().modified(tensor, op, site, ids.memory(tensor)[2] if op in MOVES else storage)


class TorchParts(Parts):
    """The parts of a recorder of torch's."""

    first_sight: TorchFirstSight

    def __init__(self, tape: TorchTape) -> None:
        super().__init__(tape, TorchNotices, TorchFirstSight, TorchWrites)


class TorchRecorder(Recorder):
    """Takes down what torch does, beside another recorder, in whose trace it writes."""

    tape: TorchTape
    parts: TorchParts

    def __init__(self, beside: Recorder) -> None:
        self.trace = beside.trace
        tape = TorchTape(beside.tape, beside.trace)
        self._have(tape, TorchParts(tape))
        beside.neighbours.append(self)
        for name, thing in beside.names.items():
            self.name(thing, name)
