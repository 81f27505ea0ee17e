"""An immutable mapping for states that share almost everything with the state before.

A trace of 100,000 nodes has half a million states, each one entry away from the last. Copying a dict for each would
take minutes and all the memory there is; a table copies one block of entries and the list of blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

T = TypeVar("T")
BLOCK = 128


@lru_cache(maxsize=1 << 16)
def place_of(letter: str, key: str) -> tuple[int, int]:
    """The number of a key's block, and its place there; asked for a dozen times an event."""
    if key[:1] != letter or not key[1:].isdigit():
        raise KeyError(key)
    return divmod(int(key[1:]), BLOCK)


class Table(Mapping[str, T]):
    """Items by ids that count up from zero behind one letter: `t0`, `t1`, …

    >>> before = Table("n").set("n0", "waiting")
    >>> after = before.set("n0", "done")
    >>> before["n0"], after["n0"], list(after)
    ('waiting', 'done', ['n0'])
    """

    __slots__ = ("_blocks", "_letter", "_size")

    def __init__(self, letter: str, blocks: Any = (), size: int = 0) -> None:
        self._letter = letter
        self._blocks = blocks
        self._size = size

    def set(self, key: str, item: T) -> Table[T]:
        """A table in which `key` stands for `item`."""
        block, place = place_of(self._letter, key)
        blocks = self._blocks
        if block >= len(blocks):
            blocks += (((None,) * BLOCK),) * (block + 1 - len(blocks))
        old = blocks[block]
        size = self._size + (old[place] is None)
        new = (*old[:place], item, *old[place + 1 :])
        return Table(self._letter, (*blocks[:block], new, *blocks[block + 1 :]), size)

    @property
    def blocks(self) -> Sequence[Sequence[T | None]]:
        """The items in blocks of `BLOCK`, by their numbers; what did not change is the same object as before."""
        return self._blocks

    def __getitem__(self, key: str) -> T:
        block, place = place_of(self._letter, key)
        item = self._blocks[block][place] if block < len(self._blocks) else None
        if item is None:
            raise KeyError(key)
        return item

    def get(self, key: str, default: Any = None) -> Any:
        """The item, or `default`; asked so often that a Mapping's way, which raises and catches, takes too long."""
        try:
            block, place = place_of(self._letter, key)
        except KeyError:
            return default
        item = self._blocks[block][place] if block < len(self._blocks) else None
        return default if item is None else item

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        for number, block in enumerate(self._blocks):
            for place, item in enumerate(block):
                if item is not None:
                    yield f"{self._letter}{number * BLOCK + place}"

    def __len__(self) -> int:
        return self._size


class OpenTable(Table[T]):
    """A table that is changed in place: each block that is written to is copied once."""

    __slots__ = ()

    def __init__(self, table: Table[T]) -> None:
        super().__init__(table._letter, list(table._blocks), table._size)

    def set(self, key: str, item: T) -> OpenTable[T]:
        """This table, in which `key` stands for `item` from now on."""
        block, place = place_of(self._letter, key)
        blocks: list[Any] = self._blocks
        while block >= len(blocks):
            blocks.append([None] * BLOCK)
        owned = blocks[block]
        if type(owned) is tuple:
            owned = blocks[block] = list(owned)
        self._size += owned[place] is None
        owned[place] = item
        return self

    def closed(self) -> Table[T]:
        """The table as it is now, which does not change any more."""
        return Table(
            self._letter, tuple([block if type(block) is tuple else tuple(block) for block in self._blocks]), self._size
        )
