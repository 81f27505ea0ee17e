"""The legend below a graph: signs with their words beside them, in lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograd_lab.view.kit.shapes.stroke import group, say, short, wide

SIZE = 13.5
BESIDE, APART = 8.0, 24.0
"""Between a sign and its words, and from one key to the next, px."""

Entry = tuple[float, str, str]
"""A key: the width of its sign, that sign drawn around the height 0, and its words."""


def entry_width(entry: Entry) -> float:
    """How much of a line a key takes, px."""
    return entry[0] + BESIDE + wide(entry[2], SIZE)


def in_lines(entries: Iterable[Entry], room: float) -> list[list[Entry]]:
    """Keys in lines that are no longer than this, px."""
    lines: list[list[Entry]] = []
    left = 0.0
    for entry in entries:
        if not lines or entry_width(entry) > left:
            lines.append([])
            left = room
        lines[-1].append(entry)
        left -= entry_width(entry) + APART
    return lines


def legend(x: float, y: float, entries: Sequence[Entry]) -> str:
    """One line of keys around the height y."""
    drawn = []
    for entry in entries:
        width, sign, words = entry
        at = f"translate({short(x)} {short(y)})"
        drawn.append(f'<g transform="{at}">{sign}</g>{say(words, x + width + BESIDE, y + 4.8)}')
        x += entry_width(entry) + APART
    return group("key", *drawn)
