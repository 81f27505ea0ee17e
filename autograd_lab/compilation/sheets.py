"""The Python that runs, with the lines between which each value is in memory."""

from __future__ import annotations

from itertools import zip_longest

from autograd_lab.compiler.graph import Operation
from autograd_lab.compiler.program import Program
from autograd_lab.view.compiled.told import Bar, Sheet
from autograd_lab.view.numeral import bytes_text


def sheet_of(name: str, program: Program) -> Sheet:
    """A listing with its buffers: those of the program, then those of its loops, which hold a tile."""
    listing = program.listing
    plans = [("", program.graph.operations, program.plan)]
    plans += [("tile ", loop.tile.operations, loop.plan) for loop in listing.loops]
    headings: list[str] = []
    bars: list[Bar] = []
    for kind, operations, plan in plans:
        rows = _rows(operations, listing.owners)
        for buffer in plan.buffers:
            for one, after in zip_longest(buffer.tenants, buffer.tenants[1:]):
                given = after is not None and after.in_place
                first, last = rows[one.start][0], rows[one.stop][1]
                bars.append(Bar(len(headings), first, last, one.value.name, one.in_place, given))
            headings.append(f"{kind}{bytes_text(buffer.nbytes)}")
    says = (
        "Beside each line, the values that are in buffers then; one with a notch is written over the one before. "
        "What is returned or kept has memory of its own."
    )
    return Sheet(f"{name.capitalize()} as Python", says, tuple(str(listing).splitlines()), tuple(headings), tuple(bars))


def _rows(operations: tuple[Operation, ...], owners: tuple[Operation | None, ...]) -> list[tuple[int, int]]:
    """The first and last line of each operation, then those of what comes after all; the next one's if it has none."""
    found: dict[int, tuple[int, int]] = {}
    for at, owner in enumerate(owners):
        if owner is not None:
            found[id(owner)] = found.get(id(owner), (at, at))[0], at
    following = len(owners) - 1
    rows = [(following, following)]
    for each in reversed(operations):
        first, last = found.get(id(each), (following, following))
        rows.append((first, following - 1 if each.body else last))
        following = first
    return rows[::-1]
