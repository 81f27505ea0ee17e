"""What a program sets: grad mode, `requires_grad` and `.grad`; the part of a recorder that takes that down."""

from __future__ import annotations

from typing import Any

from autograd_lab import events
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.new_parts import NewParts
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.whereabouts import Whereabouts


class Settings:
    """Tells of what is set."""

    def __init__(
        self, tape: Tape, whereabouts: Whereabouts, notices: Notices, first_sight: FirstSight, new_parts: NewParts
    ) -> None:
        self._tape, self._here = tape, whereabouts.now
        self._notices, self._first_sight, self._new_parts = notices, first_sight, new_parts

    def grad_mode_changed(self, enabled: bool) -> None:
        """Whether ops are recorded from now on."""
        self._tape.push((events.GradModeChanged.kind, self._here()[0].number, enabled))

    def requires_grad_changed(self, tensor: Any) -> None:
        """Whether a tensor requires grad has been set."""
        if id(tensor) in self._new_parts.waiting:
            self._new_parts.tell(switched=tensor)
        site, frame = self._here()
        identity = self._tape.id(tensor)
        if identity in self._tape.ids.described:
            self._tape.push((events.RequiresGradChanged.kind, site.number, identity, tensor.requires_grad))
        else:
            self._first_sight.met(tensor, site, frame)

    def grad_retained(self, tensor: Any) -> None:
        """A tensor that is no leaf will keep its `.grad`."""
        site, frame = self._here()
        self._first_sight.met(tensor, site, frame)
        self._tape.push((events.GradRetained.kind, site.number, self._tape.id(tensor)))

    def grad_assigned(self, tensor: Any) -> None:
        """The program has set a tensor's `.grad`."""
        site, frame = self._here()
        self._first_sight.met(tensor, site, frame)
        grad = self._tape.reader.grad_of(tensor)
        tape, grad_id, version, value = self._tape, None, 0, None
        if grad is not None:
            grad_id, version, value = tape.id(grad), tape.version_of(grad), tape.snapshot(grad)
        identity = tape.id(tensor)
        self._notices.keep(identity, grad_id, version, value)
        tape.push((events.GradAssigned.kind, site.number, identity, grad_id, value, False))
