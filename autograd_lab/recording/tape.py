"""What the parts of a recorder share: the raw notes, the ids and names in them, and how the engine is read."""

from __future__ import annotations

from typing import Any

from autograd_lab import events
from autograd_lab.recording.ids import Ids
from autograd_lab.recording.naming import Names, Steps
from autograd_lab.recording.program.source import NOWHERE, Sites
from autograd_lab.recording.reader import Reader

Note = tuple[Any, ...]
"""An event's kind, the number of the place in the program, and the event's fields."""


class Tape:
    """Whoever has something to tell has a tape: `push` appends a note to `raw`.

    `names` and `sites` are of the tensors and places in the notes, `ids` says who is who, `reader` what an engine's
    things hold, `steps` which ops are steps of one call; `errors` have been told, by their ids, since to keep one is to
    keep its frames. A tape `beside` another one, for another engine, shares its notes, names and sites.
    """

    def __init__(self, reader: Reader, ids: Ids, beside: Tape | None = None) -> None:
        self.reader, self.ids, self.beside = reader, ids, beside
        self.raw: list[Note] = beside.raw if beside else []
        self.push = self.raw.append
        self.sites: Sites = beside.sites if beside else Sites()
        self.names: Names = beside.names if beside else Names()
        self.errors: set[tuple[int, str]] = beside.errors if beside else set()
        self.steps = Steps()
        self.id, self.node = ids.tensor, ids.node
        self.snapshot, self.version_of = reader.snapshot, reader.version_of

    def break_off(self, reason: str, lost: str, *others: Tape) -> bool:
        """Say that nothing is told after this, and why; nor is it by tapes beside. False if that was said before."""
        push = self.push
        for tape in filter(None, (self, self.beside, *others)):
            tape.push = _not_told
        push((events.RecordingStopped.kind, NOWHERE.number, reason, lost))
        return push is not _not_told

    def maybe(self, tensor: Any) -> str | None:
        """The id of a tensor, if there is one."""
        return None if tensor is None else self.id(tensor)

    def maybe_node(self, node: Any) -> str | None:
        """The id of a node, if there is one; an id is itself."""
        return node if node is None or isinstance(node, str) else self.node(node)

    def is_described(self, tensor: Any) -> bool:
        """Whether a tensor is part of the story already."""
        return self.ids.knows(tensor) and self.id(tensor) in self.ids.described


def _not_told(_: Note) -> None:
    """In the place of what appends to the notes, once they have broken off."""
