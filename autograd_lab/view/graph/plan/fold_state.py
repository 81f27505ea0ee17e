"""What goes on inside of a fold: how far backward has come there, what is still saved, what has gone wrong.

A fold may hide thousands of nodes, of which an event changes one or two; so what they add up to is kept, and corrected
where a node is another object than before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from autograd_lab.view.graph.facts.state import EVALUATED, FREED, RETAINED, GraphState, NodeState
from autograd_lab.view.graph.plan.fold import Fold
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.kit.table import BLOCK, place_of

Said = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]
"""Class names and texts."""


class Counts(NamedTuple):
    """How many nodes there are, have run in this pass, ran in an earlier one, are released; how many values they
    saved, hold and keep since a pass retained the graph, and how many bytes they hold."""

    nodes: int = 0
    done: int = 0
    before: int = 0
    released: int = 0
    slots: int = 0
    held: int = 0
    kept: int = 0
    nbytes: int = 0


_EMPTY: Sequence[NodeState | None] = (None,) * BLOCK
_NOTHING = Counts()


class Tally:
    """Adds up the nodes of one fold, in any state of one trace, in which `suspects` are ever stale."""

    def __init__(self, fold: Fold, suspects: Iterable[str]) -> None:
        self._suspects = [node for node in suspects if node in fold.node_set]
        self._places: dict[int, list[int]] = defaultdict(list)
        for node in fold.nodes:
            block, place = place_of("n", node)
            self._places[block].append(place)
        self._begin(-1)

    def at(self, state: GraphState) -> Counts:
        """The sum over the nodes that there are in a state."""
        if self._pass != state.current:  # on which the counts of a node depend
            self._begin(state.current)
        blocks = state.nodes.blocks
        for number, places in self._places.items():
            new = blocks[number] if number < len(blocks) else _EMPTY
            old = self._blocks.get(number, _EMPTY)
            if new is not old:
                for place in places:
                    if new[place] is not old[place]:
                        self._put(number * BLOCK + place, new[place], state)
                self._blocks[number] = new
        return self._sum

    def stale(self, state: GraphState) -> int:
        """How many saved values are stale."""
        nodes = [state.nodes[node] for node in self._suspects if node in state.nodes]
        return sum(state.is_stale(slot) for node in nodes for slot in node.slots)

    def _begin(self, number: int) -> None:
        self._pass, self._sum = number, _NOTHING
        self._blocks: dict[int, Sequence[NodeState | None]] = {}
        self._parts: dict[int, Counts] = {}

    def _put(self, number: int, node: NodeState | None, state: GraphState) -> None:
        old, new = self._parts.get(number, _NOTHING), _counts(node, state.current)
        self._sum = Counts(*(total - gone + come for total, gone, come in zip(self._sum, old, new, strict=True)))
        self._parts[number] = new


def _counts(node: NodeState | None, current: int) -> Counts:
    if node is None:
        return _NOTHING
    held = [slot for slot in node.slots if slot.status != FREED]
    ran, now = node.status == EVALUATED, node.passed == current
    kept, size = sum(slot.status == RETAINED for slot in held), sum(slot.nbytes for slot in held)
    return Counts(1, ran and now, ran and not now, node.released, len(node.slots), len(held), kept, size)


def said_of(fold: Fold, tally: Tally, state: GraphState) -> Said:
    """The classes and texts of a fold in a state that has begun to record its ops."""
    counts, stale = tally.at(state), tally.stale(state)
    stopped = state.error.node if state.error is not None and state.error.node in fold.node_set else None
    lit = getattr(state.event, "node", None) in fold.node_set or state.step == fold.born
    through = counts.done > 0 and (counts.done == counts.nodes or not state.in_backward)  # others lead nowhere
    classes = ["folded", *["evaluated"] * through, *["now"] * lit]
    classes += ["stale"] * (stale > 0) + ["failed"] * (stopped is not None)
    details = ((f"detail{number}", text) for number, text in enumerate(fold.details))
    ran = f"backward stopped at {state.nodes[stopped].name}" if stopped else _ran(counts, through)
    return tuple(classes), (("title", fold.title), *details, ("state", ran), ("slots", _held(counts, stale)))


def _ran(counts: Counts, through: bool) -> str:
    if not counts.nodes:
        return "nothing recorded here"
    if counts.done:
        return f"{counts.done:,} of {counts.nodes:,} run backward" + " ✓" * through
    if counts.released == counts.nodes:
        return f"{counts.nodes:,} released by Python"
    return f"{counts.nodes:,} recorded" + (f", {counts.before:,} ran before" if counts.before else "")


def _held(counts: Counts, stale: int) -> str:
    if stale:
        return f"{stale:,} of {counts.held:,} saved value{'s' * (counts.held > 1)} stale"
    if not counts.slots:
        return "nothing saved"
    values = f"saved value{'s' * (counts.slots > 1)}"
    if not counts.held:
        return f"{counts.slots:,} {values} freed"
    kept = "kept" if counts.kept == counts.held else "held"
    count = f"{counts.held:,}" if counts.held == counts.slots else f"{counts.held:,} of {counts.slots:,}"
    return f"{count} {values} {kept}, {bytes_text(counts.nbytes)}"
