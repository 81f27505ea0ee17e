"""The legend: a line for each thing that occurs in this very picture, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograd_lab.view.kit.part import Look

LEGEND_WIDTH, LEGEND_ROW = 222.0, 24.0
"""Width of a column and height of a row, px."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A kind of part, the class it must have, how its swatch is drawn, what it means, which event leads to it.

    `sample` is written on the swatch.
    """

    kind: str
    needs: str
    swatch: str
    meaning: str
    event: str = ""
    sample: str = ""


ENTRIES = (
    Entry("box", "leaf", "leaf", "leaf: wants a gradient"),
    Entry("box", "made", "made", "tensor that an op made"),
    Entry("box", "no-grad", "constant", "tensor, no gradient"),
    Entry("number", "number", "number", "plain number", sample="2"),
    Entry("docked", "docked", "docked", "the same leaf again", sample="w"),
    Entry("docked", "plain", "plain", "the same tensor again", sample="x"),
    Entry("docked", "outside", "outside", "made outside of this", sample="h"),
    Entry("box", "overwritten", "overwritten", "before it was changed", "tensor_modified", "h"),
    Entry("pill", "recorded", "recorded", "op: node for backward"),
    Entry("pill", "unrecorded", "unrecorded", "op without a node"),
    Entry("fold", "folded", "folded", "many ops, folded"),
    Entry("module", "opened", "opened", "here this module begins", sample="net.0"),
    Entry("link", "open", "grad", "gradient can come back"),
    Entry("link", "cut", "cut", "no gradient this way"),
    Entry("link", "sent", "sent", "gradient sent back", "gradient_sent"),
    Entry("link", "stale", "stale", "none gets past here", "tensor_modified"),
    Entry("slot", "saved", "saved", "saved for backward", "tensor_saved"),
    Entry("slot", "packed", "packed", "packed by a hook", "tensor_saved"),
    Entry("slot", "retained", "retained", "kept: retain_graph", "saved_retained"),
    Entry("slot", "freed", "freed", "freed: empty", "saved_freed"),
    Entry("slot", "stale", "stale", "stale: changed since", "tensor_modified"),
    Entry("dock", "accumulate", "idle", "adds into .grad"),
    Entry("grad", "none", "none", "no gradient, not 0", sample=".grad"),
    Entry("grad", "set", "set", "stored gradient", "grad_accumulated", ".grad"),
    Entry("pill", "waiting", "waiting", "waits for more", "gradient_sent"),
    Entry("pill", "ready", "ready", "ready: all arrived", "backward_started"),
    Entry("pill", "visited", "visited", "runs backward now", "node_visited"),
    Entry("pill", "evaluated", "evaluated", "has run backward", "node_evaluated"),
    Entry("pill", "failed", "failed", "backward stopped here", "error_raised"),
    Entry("pill", "released", "released", "let go of by Python", "graph_released"),
    Entry("edge", "torn", "torn", "the recording ends here", "recording_stopped"),
    Entry("text", "↩", "text", "gradient that came here", "gradient_sent", "↩ 4.0"),
    Entry("text", "norm", "text", "√ of sum of squares", "gradient_sent", "norm"),
    Entry("text", "heat", "text", "8×8 sample, dark: high", sample="■▪□"),
    Entry("text", "#", "text", "recorded as node n", sample="#n"),
    Entry("text", "for", "text", "runs to unpack it", "node_visited", "for …"),
    Entry("text", "via", "text", "through shared memory", "tensor_modified", "via y"),
    Entry("text", "v", "text", "writes in place so far", "tensor_modified", "v1"),
    Entry("input", "input", "input", "input", "function_captured"),
    Entry("input", "tangent", "tangent", "gradient that comes in", "function_captured"),
    Entry("call", "forward", "forward", "numpy call of forward", "function_captured"),
    Entry("call", "backward", "backward", "numpy call of backward", "function_captured"),
    Entry("call", "check", "check", "Python sees a value", "function_captured"),
    Entry("call", "gone", "gone", "this pass leaves it out", "operation_dropped", "✗"),
    Entry("call", "absent", "absent", "was left out", "operation_dropped"),
    Entry("call", "changed", "changed", "done in another way", "function_captured", "→"),
    Entry("call", "loop", "loop", "in a loop over tiles", "operations_fused", "▤"),
    Entry("call", "kept", "kept", "kept for backward", "array_kept", "▣"),
    Entry("call", "again", "again", "runs in backward, too", "function_captured", "↻"),
    Entry("tenant", "lies", "lies", "array in a buffer", "array_placed"),
    Entry("tenant", "over", "over", "over the one before", "array_placed"),
    Entry("text", "takes", "text", "from the other row", "function_captured", "← t5"),
    Entry("text", "once", "text", "made once for all calls", "views_made", "⊙"),
    Entry("text", "leaves", "text", "leaves the function", "function_captured", "⇒"),
)

ALIKE = {"fold-chip": "docked", "fold-link": "link", "dock": "pill"}
"""Kinds of parts that are explained by another kind's entry too."""


def entries_of(looks: Iterable[tuple[str, Look]]) -> list[Entry]:
    """The entries for (kind, look) pairs that are drawn."""
    present = set()
    for kind, look in looks:
        if "hidden" not in look.classes and kind not in ("title", "caption", "code"):
            present |= {(alike, name) for name in look.classes for alike in {kind, ALIKE.get(kind, kind)}}
            present |= {("text", name) for name in signs_in(look)}
    return [entry for entry in ENTRIES if (entry.kind, entry.needs) in present]


def signs_in(look: Look) -> Iterator[str]:
    """The signs in a look's texts that need a word of explanation."""
    for name, text in look.texts:
        if name == "heat":
            yield "heat"
        elif name == "flow" and text:
            yield "↩"
        elif name == "version" and text:
            yield "v"
        elif name == "number" and text.startswith("#"):
            yield "#"
            if "for backward" in text:
                yield "for"
        elif name == "value0" and text.startswith("changed via"):
            yield "via"
        elif name in ("once", "takes", "leaves"):
            yield name
        if name in ("flow", "label") and "norm" in text:
            yield "norm"


def possible_entries(kinds: Iterable[str]) -> list[Entry]:
    """The entries that any step of a trace with these kinds of events could need."""
    present = set(kinds)
    graph = "function_captured" not in present
    return [entry for entry in ENTRIES if (entry.event in present if entry.event else graph)]


def columns_in(width: float) -> int:
    """How many columns fit."""
    return max(1, int(width // LEGEND_WIDTH))


def legend_height(entries: int, width: float) -> float:
    """Height of a legend of so many entries, px."""
    return -(-entries // columns_in(width)) * LEGEND_ROW
