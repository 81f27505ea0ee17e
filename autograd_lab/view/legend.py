"""The legend: a line for each thing that occurs in this very picture, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autograd_lab.view.look import Look

LEGEND_WIDTH, LEGEND_ROW = 235.0, 24.0
"""Width of a column and height of a row, px."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A kind of part, the class it must have, how its swatch is drawn, what it means, which event leads to it."""

    kind: str
    needs: str
    swatch: str
    meaning: str
    event: str = ""


ENTRIES = (
    Entry("box", "leaf", "leaf", "leaf that wants a gradient"),
    Entry("box", "made", "made", "tensor that an op made"),
    Entry("box", "no-grad", "constant", "tensor without gradient"),
    Entry("number", "number", "constant", "plain number"),
    Entry("docked", "docked", "leaf", "the same leaf, used again"),
    Entry("box", "overwritten", "overwritten", "overwritten in place", "tensor_modified"),
    Entry("pill", "idle", "recorded", "op, recorded as a node"),
    Entry("pill", "unrecorded", "unrecorded", "op, not recorded"),
    Entry("fold", "folded", "folded", "many ops, folded"),
    Entry("link", "open", "grad", "a gradient can come back"),
    Entry("link", "cut", "cut", "no gradient comes back"),
    Entry("link", "sent", "sent", "gradient sent back", "gradient_sent"),
    Entry("link", "stale", "stale", "backward will stop here", "tensor_modified"),
    Entry("slot", "saved", "saved", "saved for backward", "tensor_saved"),
    Entry("slot", "retained", "retained", "kept (retain_graph)", "saved_retained"),
    Entry("slot", "freed", "freed", "freed: empty", "saved_freed"),
    Entry("slot", "stale", "stale", "stale: overwritten since", "tensor_modified"),
    Entry("grad", "none", "none", ".grad: empty, which is not 0"),
    Entry("grad", "set", "set", ".grad: stored", "grad_accumulated"),
    Entry("pill", "waiting", "waiting", "waits for more to arrive", "gradient_sent"),
    Entry("pill", "ready", "ready", "ready: all has arrived", "backward_started"),
    Entry("pill", "visited", "visited", "runs backward now", "node_visited"),
    Entry("pill", "evaluated", "evaluated", "has run backward", "node_evaluated"),
    Entry("pill", "failed", "failed", "backward stopped here", "error_raised"),
)


ALIKE = {"fold-chip": "docked", "fold-link": "link"}
"""Kinds of parts that are explained by another kind's entry."""


def entries_of(looks: Iterable[tuple[str, Look]]) -> list[Entry]:
    """The entries for (kind, look) pairs that are drawn."""
    drawn = [(ALIKE.get(kind, kind), look.classes) for kind, look in looks if "hidden" not in look.classes]
    present = {(kind, name) for kind, names in drawn for name in names}
    return [entry for entry in ENTRIES if (entry.kind, entry.needs) in present]


def possible_entries(kinds: Iterable[str]) -> list[Entry]:
    """The entries that any step of a trace with these kinds of events could need."""
    present = set(kinds)
    return [entry for entry in ENTRIES if not entry.event or entry.event in present]


def columns_in(width: float) -> int:
    """How many columns fit."""
    return max(1, int(width // LEGEND_WIDTH))


def legend_height(entries: int, width: float) -> float:
    """Height of a legend of so many entries, px."""
    return -(-entries // columns_in(width)) * LEGEND_ROW
