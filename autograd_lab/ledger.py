"""What tensors were last told to hold, so that a recorder notices what has been written to behind its back.

A storage is *open* once anybody else may write to it: when numpy has been given its memory, or when nobody saw where it
came from. Only of what is open it is asked again what it holds, so that others cost no more than a note.
"""

from __future__ import annotations

from typing import Any

from autograd_lab.values import Snapshot

UNKNOWN = None


class Ledger:
    """For each tensor, by its id, the storage that it was told to lie in, and the value that was told of it.

    Values are kept of small tensors only. A value holds until another tensor on that storage is written to.
    """

    def __init__(self) -> None:
        self._entries: dict[str, tuple[str, Snapshot, int, int]] = {}
        self._writes: dict[str, int] = {}
        self._open: set[str] = set()
        self._to_open: set[str] = set()

    def note(self, identity: str, storage: str, version: int, value: Snapshot) -> None:
        """A tensor lies in this storage, and was told to hold this value."""
        kept = value if type(value) is tuple and len(value) == 3 else UNKNOWN
        self._entries[identity] = storage, kept, version, self._writes.get(storage, 0)
        if identity in self._to_open:
            self._open.add(storage)

    def wrote(self, identity: str, version: int, value: Snapshot) -> None:
        """A write to a tensor was told."""
        found = self._entries.get(identity)
        if found is not None:
            self._writes[found[0]] = self._writes.get(found[0], 0) + 1
            self.note(identity, found[0], version, value)

    def keep(self, identity: str, version: int, value: Snapshot) -> None:
        """A `.grad` holds this value; where it lies is told only if the program uses it."""
        self.note(identity, self._entries.get(identity, (identity,))[0], version, value)

    def open(self, identity: str) -> None:
        """From now on others may write to a tensor, and to all that shares its storage."""
        self._to_open.add(identity)
        if identity in self._entries:
            self._open.add(self._entries[identity][0])

    @property
    def any_open(self) -> bool:
        """Whether any storage is open."""
        return bool(self._open)

    def is_open(self, identity: str) -> bool:
        """Whether a tensor may hold something else by now than what was told."""
        if not self._open:
            return False
        storage, kept, _, writes = self._entries.get(identity, _NOTHING)
        return kept is not UNKNOWN and storage in self._open and writes == self._writes.get(storage, 0)

    def is_behind(self, identity: str, version: int) -> bool:
        """Whether a tensor's counter has moved on without a write to its storage that was told."""
        storage, _, told, writes = self._entries.get(identity, _NOTHING)
        return storage != "" and told != version and writes == self._writes.get(storage, 0)

    def differs(self, identity: str, value: Any) -> bool:
        """Whether a value is of the same kind as the one that was told of a tensor, but another."""
        kept = self._entries[identity][1]
        return type(value) is tuple and value[1:] == kept[1:] and value[0] != kept[0]


_NOTHING: tuple[str, Snapshot, int, int] = "", UNKNOWN, 0, 0
