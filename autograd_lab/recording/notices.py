"""What changes without anybody telling: the part of a recorder that looks again at what it knows, and tells of that."""

from __future__ import annotations

import weakref
from typing import Any

from autograd_lab import events
from autograd_lab.recording.on_the_way import OnTheWay
from autograd_lab.recording.program.source import NOWHERE
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.values.snapshot import Snapshot


class Notices:
    """Compares tensors with what was told of them.

    `grads` are the ids of all that was anybody's `.grad`, `saved_by` those of what nodes save, in the order of slots.
    """

    def __init__(self, tape: Tape, way: OnTheWay) -> None:
        self._tape, self._way, self._ledger = tape, way, tape.ids.ledger
        self.grads: set[str] = set()
        self.grads_of: dict[str, str | None] = {}
        self.saved_by: dict[str, tuple[str, ...]] = {}
        self._shared: dict[str, weakref.ref[Any]] = {}

    def opened(self, tensor: Any) -> None:
        """Others may write to a tensor's memory from now on, unseen: numpy, say."""
        identity = self._tape.id(tensor)
        self._tape.ids.ledger.open(identity)
        self._shared[identity] = weakref.ref(tensor)

    def look_at_shared(self) -> None:
        """Tell what has changed unseen of all that others may write to, and that is still there."""
        for identity, ref in self._shared.items():
            if (tensor := ref()) is not None and self._tape.ids.ledger.is_open(identity):
                self._compare(identity, self._tape.version_of(tensor), self._tape.snapshot(tensor))

    def look_again(self, tensor: Any, identity: str) -> None:
        """Tell if a tensor that is used, or its `.grad`, holds something else than what was told of it."""
        tape, ledger = self._tape, self._ledger
        if not ledger.any_open:
            return
        if ledger.is_open(identity):
            self._compare(identity, tape.version_of(tensor), tape.snapshot(tensor))
        grad = self.grads_of.get(identity)
        if grad is not None and ledger.is_open(grad) and (now := tape.reader.grad_of(tensor)) is not None:
            self._compare(grad, tape.version_of(now), tape.snapshot(now))

    def look_at_saved(self, node: Any) -> None:
        """The same for what a node saved, when it is about to run."""
        saved = self.saved_by.get(self._tape.node(node))
        if saved and (suspects := self._ledger.open_among(saved)):
            for identity, (_, _, array, version) in zip(saved, self._tape.reader.slots_of(node), strict=False):
                if identity in suspects:
                    self._compare(identity, version, self._tape.snapshot(array))

    def _compare(self, identity: str, version: int, value: Snapshot) -> None:
        if self._tape.ids.ledger.differs(identity, value):
            self.notice(identity, version, value)

    def notice(self, identity: str, version: int, value: Snapshot) -> None:
        """Tell that a tensor was written to, unseen."""
        self._tape.ids.ledger.wrote(identity, version, value)
        self._way.forget()
        facts = identity, events.UNSEEN, version, value
        self._tape.push((events.TensorModified.kind, NOWHERE.number, *facts, None, None, None, None, None))

    def look_at_grad(self, leaf: Any, identity: str) -> None:
        """Tell if a leaf's `.grad` is another than the one that was told of; in a pass it may be on its way."""
        if self._way.site is not NOWHERE:
            return
        grad = self._tape.reader.grad_of(leaf)
        grad_id = self._tape.maybe(grad)
        if grad_id != self.grads_of.get(identity):
            value = None if grad is None else self._tape.snapshot(grad)
            self.keep(identity, grad_id, 0 if grad is None else self._tape.version_of(grad), value)
            self._tape.push((events.GradAssigned.kind, NOWHERE.number, identity, grad_id, value, True))

    def keep(self, identity: str, grad: str | None, version: int, value: Snapshot) -> None:
        """A tensor's `.grad` is the one of this id from now on, and holds this value."""
        self.grads_of[identity] = grad
        if grad is not None:
            self.grads.add(grad)
            self._ledger.keep(grad, version, value)
