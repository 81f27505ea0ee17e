"""A chain: one path leads to a leaf, and its gradient is the product of the slopes on it."""

from __future__ import annotations

import math

from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.words.meeting import Meetings
from autograd_lab.view.kit.figure import counted, figure, number_of
from autograd_lab.view.kit.headline import Headline, said

LONG = 3
"""So many factors make a chain worth a word."""
TOLD = 6
"""Of more factors than these the first and the last are told."""


def chained(leaf: str, state: GraphState, meetings: Meetings) -> list[float]:
    """The slopes on the only path from where backward began to a leaf, in the order of backward, if all are numbers.

    Nothing if several paths lead there, if backward began with anything but 1, or if the path is short.
    """
    found, node, began = list[float](), leaf, 1.0
    while arrivals := meetings.at(state, node):
        arrival = arrivals[0]
        gathered = state.nodes[arrival.node].gathered
        came, went = number_of(gathered[0] if len(gathered) == 1 else None), number_of(arrival.value)
        if len(arrivals) > 1 or not came or went is None or not math.isfinite(went / came):
            return []
        found.append(went / came)
        node, began = arrival.node, came
    return found[::-1] if len(found) >= LONG and began == 1.0 else []


def multiplied(grad: str, factors: list[float]) -> Headline:
    """That slopes are multiplied along a chain."""
    total = figure(math.prod(factors))
    figures = [figure(factor).replace("−", "(−") + ")" * (factor < 0) for factor in factors]
    told = figures if len(figures) <= TOLD else [*figures[:3], "…", figures[-1]]
    text = f"{grad} = {total}: {counted(len(factors))} slopes, multiplied"
    return Headline(text, f"{grad} = {total}", said(f"{' · '.join(told)} = {total}"))
