"""Changes: which of some nodes are other objects than they were in the state before.

A card or a lane may hang on thousands of nodes, of which an event changes one or two; a state shares the blocks of all
others with the state before, so these are passed over. What differs between two states is found once, for all who ask.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress
from operator import is_not
from typing import Any

from autograd_lab.view.graph.facts.state import GraphState, NodeState
from autograd_lab.view.kit.table import BLOCK, place_of

EMPTY: Sequence[NodeState | None] = (None,) * BLOCK
MOST = 512
"""So many answers to what differs are kept."""
_known: dict[tuple[int, int], tuple[Sequence[Any], Sequence[Any], list[int]]] = {}
"""By their places in memory two sequences, kept so that no other takes such a place, and where they differ."""


class Changes:
    """Compares some nodes in a state with what they were in the one that was asked about before."""

    def __init__(self, nodes: Iterable[str]) -> None:
        self._names: dict[int, dict[int, str]] = defaultdict(dict)
        for node in nodes:
            block, place = place_of("n", node)
            self._names[block][place] = node
        self.forget()

    def forget(self) -> None:
        """From now on as if no state had been asked about yet: every node that there is has changed."""
        self._seen: Sequence[Sequence[NodeState | None]] = ()

    def until(self, state: GraphState) -> list[str]:
        """The nodes that are other objects in this state."""
        before, blocks, found = self._seen, state.nodes.blocks, []
        self._seen = blocks
        for number in differing(before, blocks):
            names = self._names.get(number)
            if names is not None:
                places = differing(_block(before, number), _block(blocks, number))
                found += [names[place] for place in places if place in names]
        return found


def differing(some: Sequence[Any], others: Sequence[Any]) -> list[int]:
    """The places at which two sequences have not the same object; those at which only one has any are some of them.

    >>> differing(["a"], ["a", "b"])
    [1]
    """
    key = id(some), id(others)
    known = _known.get(key)
    if known is None:
        if len(_known) >= MOST:
            _known.clear()
        short, long = sorted(map(len, (some, others)))
        found = [*compress(range(short), map(is_not, some, others)), *range(short, long)]
        known = _known[key] = some, others, found
    return known[2]


def _block(blocks: Sequence[Sequence[NodeState | None]], number: int) -> Sequence[NodeState | None]:
    return blocks[number] if number < len(blocks) else EMPTY
