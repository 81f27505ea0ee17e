"""Changes: which of some nodes are other objects than they were in the state before.

A card or a lane may hang on thousands of nodes, of which an event changes one or two; a state shares the blocks of all
others with the state before, so these are passed over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from autograd_lab.view.graph.facts.state import GraphState, NodeState
from autograd_lab.view.kit.table import BLOCK, place_of

EMPTY: Sequence[NodeState | None] = (None,) * BLOCK


class Changes:
    """Compares some nodes in a state with what they were in the one that was asked about before."""

    def __init__(self, nodes: Iterable[str]) -> None:
        self._places: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for node in nodes:
            block, place = place_of("n", node)
            self._places[block].append((place, node))
        self.forget()

    def forget(self) -> None:
        """From now on as if no state had been asked about yet: every node that there is has changed."""
        self._blocks: dict[int, Sequence[NodeState | None]] = {}

    def until(self, state: GraphState) -> Iterator[str]:
        """The nodes that are other objects in this state; all must be taken before the next state is asked about."""
        blocks = state.nodes.blocks
        for number, places in self._places.items():
            new = blocks[number] if number < len(blocks) else EMPTY
            old = self._blocks.get(number, EMPTY)
            if new is not old:
                yield from (name for place, name in places if new[place] is not old[place])
                self._blocks[number] = new
