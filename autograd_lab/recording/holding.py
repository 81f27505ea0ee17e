"""How many bytes a graph holds for backward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autograd_lab import events


def most_held(raw: Iterable[tuple[Any, ...]], storages: Mapping[str, str]) -> int:
    """The most bytes that nodes held at a time, each storage counted once: `storages` has those of the tensors.

    What counts of a storage is the largest tensor in it that is saved.
    """
    held = _Held()
    for told in raw:
        if told[0] == events.TensorSaved.kind and told[4] in storages:
            held.save(told[2], storages[told[4]], told[6])
        elif told[0] == events.SavedFreed.kind:
            held.free(told[2])
        elif told[0] == events.GraphReleased.kind:
            for node in told[2]:
                held.free(node)
    return held.most


class _Held:
    """What is held now: for each storage by which nodes, and how much of it."""

    def __init__(self) -> None:
        self.most = self._now = 0
        self._holders: dict[str, dict[str, int]] = {}
        self._of_node: dict[str, set[str]] = {}

    def save(self, node: str, storage: str, nbytes: int) -> None:
        holders = self._holders.setdefault(storage, {})
        before = max(holders.values(), default=0)
        holders[node] = max(nbytes, holders.get(node, 0))
        self._of_node.setdefault(node, set()).add(storage)
        self._now += max(before, nbytes) - before
        self.most = max(self.most, self._now)

    def free(self, node: str) -> None:
        for storage in self._of_node.pop(node, ()):
            holders = self._holders[storage]
            nbytes = holders.pop(node)
            self._now -= max(0, nbytes - max(holders.values(), default=0))
