"""The legend: a line for each thing that occurs in this very picture, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from autograd_lab.view.kit.part import Look
from autograd_lab.view.languages.speaking import translated

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
    event: str
    sample: str = ""

    def translated(self) -> Entry:
        """The same in the language that is spoken."""
        return replace(self, meaning=translated(self.meaning, "key"))


ENTRIES = (
    Entry("edge", "torn", "torn", "the recording ends here", "recording_stopped"),
    Entry("input", "input", "input", "input", "function_captured"),
    Entry("input", "tangent", "tangent", "gradient that comes in", "function_captured"),
    Entry("call", "forward", "forward", "call of forward", "function_captured"),
    Entry("call", "backward", "backward", "call of backward", "function_captured"),
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

SIGNS = ("once", "takes", "leaves")
"""Texts of a look that need a word of explanation."""


def entries_of(looks: Iterable[tuple[str, Look]]) -> list[Entry]:
    """The entries for (kind, look) pairs that are drawn."""
    present = set()
    for kind, look in looks:
        if "hidden" not in look.classes and kind not in ("title", "caption", "code"):
            present |= {(kind, name) for name in look.classes}
            present |= {("text", name) for name in signs_in(look)}
    return [entry.translated() for entry in ENTRIES if (entry.kind, entry.needs) in present]


def signs_in(look: Look) -> Iterator[str]:
    """The signs in a look's texts that need a word of explanation."""
    return (name for name, _ in look.texts if name in SIGNS)


def possible_entries(kinds: Iterable[str]) -> list[Entry]:
    """The entries that any step of a trace with these kinds of events could need."""
    present = set(kinds)
    return [entry.translated() for entry in ENTRIES if entry.event in present]


def columns_in(width: float) -> int:
    """How many columns fit."""
    return max(1, int(width // LEGEND_WIDTH))


def legend_height(entries: int, width: float) -> float:
    """Height of a legend of so many entries, px."""
    return -(-entries // columns_in(width)) * LEGEND_ROW
