"""A backward pass that runs, and how far it has come."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from autograd_lab.torch_bridge.sums import Sums
from autograd_lab.values import Snapshot


@dataclass(eq=False)
class Pass:
    """One call of `backward` or `grad`, and how far it has come.

    `expected` and `arrived` count gradients by the ids of nodes. `ran` is the node that has run and has yet to send
    what it computed, `values`; `totals` are the sums that torch has made meanwhile of gradients that met, as far as it
    records them; other sums are made anew in `sums`. `hooked` has what hooks of the user's on a node are called
    with. What other processes may still have a part in is `shared`: leaves, with the `.grad` that was told.
    """

    tensors: tuple[Any, ...]
    roots: tuple[Any, ...]
    seeds: tuple[Any, ...]
    retain_graph: bool
    create_graph: bool
    reached: set[str] | None
    nodes: dict[str, Any]
    expected: dict[str, int]
    sums: Sums
    handles: list[Any] = field(default_factory=list)
    watched: list[str] = field(default_factory=list)
    started: bool = False
    entered: int = 0
    arrived: dict[str, int] = field(default_factory=dict)
    holds: set[tuple[str, int]] = field(default_factory=set)
    visiting: Any = None
    ran: Any = None
    values: tuple[Any, ...] = ()
    edge: int = 0
    freed_told: bool = False
    told: int = 0
    totals: list[Any] = field(default_factory=list)
    leaf_gradient: Any = None
    hooked: list[Any] | None = None
    shared: list[tuple[weakref.ref[Any], str, Snapshot]] = field(default_factory=list)
