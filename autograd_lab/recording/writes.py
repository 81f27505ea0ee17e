"""What is written to: the part of a recorder that takes that down."""

from __future__ import annotations

import sys
from typing import Any

from autograd_lab import events
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.new_parts import NewParts
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.on_the_way import OnTheWay
from autograd_lab.recording.program.source import Site
from autograd_lab.recording.tape import Tape


class Writes:
    """Tells of writes to tensors, and of other memory that they are given."""

    def __init__(
        self, tape: Tape, way: OnTheWay, notices: Notices, first_sight: FirstSight, new_parts: NewParts
    ) -> None:
        self._tape, self._way, self._notices = tape, way, notices
        self._first_sight, self._new_parts = first_sight, new_parts

    def tensor_modified(self, tensor: Any, op: str, source: Any = None) -> None:
        """A tensor was written to, or was given the memory of its `source`."""
        self.written_at(tensor, op, self._tape.sites.here(sys._getframe(1))[0], source)

    def written_at(self, tensor: Any, op: str, site: Site, source: Any = None) -> None:
        """The same, at a site."""
        if self._new_parts.is_made_at(tensor, site):
            return
        if self._new_parts.waiting:
            self._new_parts.tell(written=tensor)
        storage = None if source is None else self._tape.ids.move(tensor, source)
        if self._tape.id(tensor) not in self._notices.grads:
            self._first_sight.met(tensor, site, None, is_written=True)
        self.modified(tensor, op, site, storage)

    def modified(self, tensor: Any, op: str, site: Site, storage: str | None = None) -> None:
        """A tensor that was told of was written to; `storage` is whose memory it lies in now, if it was given other."""
        tape, ledger = self._tape, self._tape.ids.ledger
        identity, version, value = tape.id(tensor), tape.version_of(tensor), tape.snapshot(tensor)
        self._way.forget()
        changes = tape.ids.changes(tensor, storage)
        ledger.wrote(identity, version, value)
        if changes[3] is not None:
            ledger.note(identity, changes[3], version, value)
        if op == "data =":
            self._notices.opened(tensor)  # what it lies in now may have another id, by which it may be written to
        tape.push((events.TensorModified.kind, site.number, identity, op, version, value, *changes))
