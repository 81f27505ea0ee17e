"""What tensors were last told to hold, so that a recorder notices what has been written to behind its back.

A storage is *open* once anybody else may write to it: when numpy has been given its memory, or when nobody saw where it
came from. Only of what is open it is asked again what it holds, so that others cost no more than a note.
"""

from __future__ import annotations

from typing import Any

from autograd_lab.recording.values.snapshot import Snapshot

Entry = tuple[str, int, Snapshot, int]
"""A storage, a version, a value, and how many writes had been told of by then."""
_NOTHING: Entry = "", 0, None, 0


class Ledger:
    """For each tensor, by its id, the storage that it was told to lie in, and the value that was told of it.

    A value holds until another tensor on that storage is written to. `entries` has what was told, `writes` counts.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.writes = 0
        self._last_write: dict[str, int] = {}
        self._open: set[str] = set()
        self._to_open: set[str] = set()
        self.any_open = False
        """Whether there is anything to ask again about."""

    def note(self, identity: str, storage: str, version: int, value: Snapshot) -> None:
        """A tensor lies in this storage, and was told to hold this value."""
        self.entries[identity] = storage, version, value, self.writes

    def wrote(self, identity: str, version: int, value: Snapshot) -> None:
        """A write to a tensor was told."""
        storage = self.entries.get(identity, _NOTHING)[0]
        if storage:
            self.writes += 1
            self._last_write[storage] = self.writes
            self.note(identity, storage, version, value)

    def keep(self, identity: str, version: int, value: Snapshot) -> None:
        """A `.grad` holds this value; where it lies is told only if the program uses it."""
        told = self.entries.get(identity)
        self.entries[identity] = identity if told is None else told[0], version, value, self.writes

    def open(self, identity: str) -> None:
        """From now on others may write to a tensor, and to all that shares its storage."""
        self._to_open.add(identity)
        self.any_open = True

    def is_open(self, identity: str) -> bool:
        """Whether a tensor may hold something else by now than what was told."""
        if self._to_open:
            self._open_told()
        entry = self.entries.get(identity)
        if entry is None or entry[0] not in self._open or not _is_whole(entry[2]):
            return False
        return entry[3] >= self._last_write.get(entry[0], 0)

    def _open_told(self) -> None:
        """Open the storages of what is to be open, as far as it was told where that lies."""
        told = self._to_open & self.entries.keys()
        self._open.update(self.entries[name][0] for name in told)
        self._to_open -= told

    def open_among(self, tensors: tuple[str, ...]) -> list[str]:
        """Those of some tensors that may hold something else."""
        return [name for name in tensors if self.is_open(name)]

    def is_behind(self, identity: str, version: int) -> bool:
        """Whether a tensor's counter has moved on without a write to its storage that was told."""
        storage, told, _, writes = self.entries.get(identity, _NOTHING)
        return told != version and storage != "" and writes >= self._last_write.get(storage, 0)

    def differs(self, identity: str, value: Any) -> bool:
        """Whether a value is of the same kind as the one that was told of a tensor, but another."""
        kept = self.entries[identity][2]
        return _is_whole(value) and value[1:] == kept[1:] and value[0] != kept[0]


def _is_whole(value: Snapshot) -> bool:
    """Whether all of a tensor was kept, as of a small one: then it can be compared."""
    return type(value) is tuple and type(value[0]) is bytes
