"""Where lines of a picture meet on their way back: nodes that gradients come to along several of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from autograd_lab.view.graph.cards.card import Cards


def junctions_of(cards: Cards) -> frozenset[str]:
    """The nodes at which one sees gradients add: what meets inside of a card is not seen."""
    ways: dict[str, set[Hashable]] = defaultdict(set)
    lines = [*((wire.id, wire.edges) for wire in cards.wires), *cards.uses.items()]
    for line, edges in lines:
        for node, number in edges:
            op = cards.history.ops[cards.history.op_of_node[node]]
            edge = getattr(op.event, "edges", ())[number]
            if edge is not None:
                ways[edge.node].add(line)
    return frozenset(node for node, lines_there in ways.items() if len(lines_there) > 1)
