"""The graph of `y = (a + b) * (b + 1)` in five small nodes, for a loop of backward, and what it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autograd_lab.lessons.moments import leaf


def gradients(torch: Any, at: tuple[float, float] = (2.0, 3.0)) -> dict[str, float]:
    """The gradient of every tensor of `y = (a + b) * (b + 1)`, at a point."""
    a, b = (leaf(torch, value) for value in at)
    c, d = a + b, b + 1
    y = c * d
    for each in (c, d, y):
        each.retain_grad()
    y.backward()
    return {name: each.grad.item() for name, each in {"y": y, "c": c, "d": d, "a": a, "b": b}.items()}


@dataclass
class TinyNode:
    """As much of a node as the backward loop needs: where its gradients go, and what they are multiplied by."""

    name: str
    edges: list[tuple[TinyNode, float]] = field(default_factory=list)
    gradient: float = 0.0
    waiting: int = 0


def tiny_graph() -> Mapping[str, Any]:
    """The graph of `y = (a + b) * (b + 1)` at 2 and 3, ready for backward."""
    a, b = TinyNode("a"), TinyNode("b")
    c, d = TinyNode("c", [(a, 1.0), (b, 1.0)]), TinyNode("d", [(b, 1.0)])
    y = TinyNode("y", [(c, 4.0), (d, 5.0)])
    for node in (c, d, y):
        for target, _ in node.edges:
            target.waiting += 1
    return {"root": y, "nodes": [y, c, d, a, b]}
