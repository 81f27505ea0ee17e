"""An immutable mapping for states that share almost everything with the state before.

A trace of 100,000 nodes has half a million states, each one entry away from the last. Copying a dict for each would
take minutes and all the memory there is; a table copies one block of entries and the list of blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def blocks_of(letter: str, keys: Iterable[str]) -> list[int]:
    """The numbers of the blocks in which keys are."""
    return sorted({place_of(letter, key)[0] for key in keys})


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

    def blocks_with(self, numbers: Sequence[int]) -> list[Sequence[T | None] | None]:
        """Those of these numbers, None for one that is not there yet: while they are the same, so is all in them."""
        blocks = self.blocks
        return [blocks[number] if number < len(blocks) else None for number in numbers]

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
    """A table that is changed in place: what is new stands beside what was there, until it is closed."""

    __slots__ = ("_new",)

    def __init__(self, table: Table[T]) -> None:
        super().__init__(table._letter, table._blocks, table._size)
        self._new: dict[str, T] = {}

    def set(self, key: str, item: T) -> OpenTable[T]:
        """This table, in which `key` stands for `item` from now on."""
        self._new[key] = item
        return self

    @property
    def blocks(self) -> Sequence[Sequence[T | None]]:
        """The items in blocks of `BLOCK`, by their numbers."""
        return self.closed().blocks

    def __getitem__(self, key: str) -> T:
        found = self._new.get(key)
        return super().__getitem__(key) if found is None else found

    def get(self, key: str, default: Any = None) -> Any:
        """The item, or `default`."""
        found = self._new.get(key)
        return super().get(key, default) if found is None and self._blocks else default if found is None else found

    def __contains__(self, key: object) -> bool:
        return key in self._new or (bool(self._blocks) and super().__contains__(key))

    def __iter__(self) -> Iterator[str]:
        return iter(self.closed())

    def __len__(self) -> int:
        return len(self.closed())

    def closed(self) -> Table[T]:
        """The table as it is now, which does not change any more; each block that was written to is copied once."""
        blocks: list[Any] = list(self._blocks)
        owned: dict[int, list[Any]] = {}
        size = self._size
        for key, item in self._new.items():
            block, place = place_of(self._letter, key)
            if block not in owned:
                blocks += [(None,) * BLOCK] * (block + 1 - len(blocks))
                owned[block] = list(blocks[block])
            size += owned[block][place] is None
            owned[block][place] = item
        for block, items in owned.items():
            blocks[block] = tuple(items)
        return Table(self._letter, tuple(blocks), size)
