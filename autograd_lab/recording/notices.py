"""What changes without anybody telling: the part of a recorder that looks again at what it knows, and tells of that."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from autograd_lab import events
from autograd_lab.recording.ids import Ids
from autograd_lab.recording.source import NOWHERE, Site
from autograd_lab.recording.values import Snapshot


class Notices:
    """Compares tensors with what was told of them; a `Recorder` has the rest of what is needed."""

    _push: Callable[[tuple[Any, ...]], None]
    _id: Callable[[Any], str]
    _node: Callable[[Any], str]
    _snapshot: Callable[[Any], Snapshot]
    _version_of: Callable[[Any], int]
    _grad_of: Callable[[Any], Any]
    _slots_of: Callable[[Any], list[tuple[str, Any, Any, int]]]
    forget_sent: Callable[[], None]
    _ids: Ids
    _grads: set[str]
    _pass: Site

    def __init__(self) -> None:
        self._grads_of: dict[str, str | None] = {}
        self._saved_by: dict[str, list[str]] = {}
        self._shared: dict[str, weakref.ref[Any]] = {}
        self._made_by: dict[str, tuple[str, ...]] = {}

    def opened(self, tensor: Any) -> None:
        """Others may write to a tensor's memory from now on, unseen: numpy, say."""
        identity = self._id(tensor)
        self._ids.ledger.open(identity)
        self._shared[identity] = weakref.ref(tensor)

    def _look_at_shared(self) -> None:
        """Tell what has changed unseen of all that others may write to, and that is still there."""
        for identity, ref in self._shared.items():
            if (tensor := ref()) is not None and self._ids.ledger.is_open(identity):
                self._compare(identity, self._version_of(tensor), self._snapshot(tensor))

    def _look_again(self, tensor: Any, identity: str) -> None:
        """Tell if a tensor that is used, or its `.grad`, holds something else than what was told of it."""
        ledger, grad = self._ids.ledger, self._grads_of.get(identity)
        if not ledger.any_open:
            return
        if ledger.is_open(identity):
            self._compare(identity, self._version_of(tensor), self._snapshot(tensor))
        if grad is not None and ledger.is_open(grad) and (now := self._grad_of(tensor)) is not None:
            self._compare(grad, self._version_of(now), self._snapshot(now))

    def _look_at_saved(self, node: Any) -> None:
        """The same for what a node saved, when it is about to run."""
        saved = self._saved_by.get(self._node(node), [])
        if suspects := self._ids.ledger.open_among(saved):
            for identity, (_, _, array, version) in zip(saved, self._slots_of(node), strict=False):
                if identity in suspects:
                    self._compare(identity, version, self._snapshot(array))

    def _compare(self, identity: str, version: int, value: Snapshot) -> None:
        if self._ids.ledger.differs(identity, value):
            self._notice(identity, version, value)

    def _notice(self, identity: str, version: int, value: Snapshot) -> None:
        self._ids.ledger.wrote(identity, version, value)
        self.forget_sent()
        told = identity, events.UNSEEN, version, value
        self._push((events.TensorModified.kind, NOWHERE.number, *told, None, None, None, None, None))

    def _look_at_grad(self, leaf: Any, identity: str) -> None:
        """Tell if a leaf's `.grad` is another than the one that was told of; in a pass it may be on its way."""
        if self._pass is not NOWHERE:
            return
        grad = self._grad_of(leaf)
        found = None if grad is None else self._id(grad)
        if found != self._grads_of.get(identity):
            value = None if grad is None else self._snapshot(grad)
            self._keeps(identity, grad, value)
            self._push((events.GradAssigned.kind, NOWHERE.number, identity, found, value, True))

    def _keeps(self, identity: str, grad: Any, value: Snapshot) -> None:
        """A tensor's `.grad` is this one from now on, and holds this value."""
        name = self._grads_of[identity] = None if grad is None else self._id(grad)
        if name is not None:
            self._grads.add(name)
            self._ids.ledger.keep(name, self._version_of(grad), value)
