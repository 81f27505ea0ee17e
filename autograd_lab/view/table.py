"""An immutable mapping for states that share almost everything with the state before.

A trace of 100,000 nodes has half a million states, each one entry away from the last. Copying a dict for each would
take minutes and all the memory there is; a table copies one block of entries and the list of blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")
BLOCK = 128


class Table(Mapping[str, T]):
    """Items by ids that count up from zero behind one letter: `t0`, `t1`, …

    >>> before = Table("n").set("n0", "waiting")
    >>> after = before.set("n0", "done")
    >>> before["n0"], after["n0"], list(after)
    ('waiting', 'done', ['n0'])
    """

    __slots__ = ("_blocks", "_letter", "_size")

    def __init__(self, letter: str, blocks: tuple[tuple[T | None, ...], ...] = (), size: int = 0) -> None:
        self._letter = letter
        self._blocks = blocks
        self._size = size

    def set(self, key: str, item: T) -> Table[T]:
        """A table in which `key` stands for `item`."""
        block, place = divmod(self._number(key), BLOCK)
        blocks = self._blocks
        if block >= len(blocks):
            blocks += (((None,) * BLOCK),) * (block + 1 - len(blocks))
        old = blocks[block]
        size = self._size + (old[place] is None)
        new = (*old[:place], item, *old[place + 1 :])
        return Table(self._letter, (*blocks[:block], new, *blocks[block + 1 :]), size)

    def __getitem__(self, key: str) -> T:
        block, place = divmod(self._number(key), BLOCK)
        item = self._blocks[block][place] if block < len(self._blocks) else None
        if item is None:
            raise KeyError(key)
        return item

    def _number(self, key: str) -> int:
        if not key.startswith(self._letter) or not key[1:].isdigit():
            raise KeyError(key)
        return int(key[1:])

    def __iter__(self) -> Iterator[str]:
        for number, block in enumerate(self._blocks):
            for place, item in enumerate(block):
                if item is not None:
                    yield f"{self._letter}{number * BLOCK + place}"

    def __len__(self) -> int:
        return self._size
