"""Lanes: what each of several processes runs, op by op, and where they meet to add up what they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_lab.view.kit.font import fit
from autograd_lab.view.kit.ink import box, line, words

MEETS = {("forward", "SummedBackward"), ("backward", "CopiedBackward")}
"""The ops in which lanes meet, forward or backward."""
LEFT_OUT = ("TBackward0", "AccumulateGrad")
"""Ops that compute nothing."""
TALL, GAP, LEFT = 46.0, 12.0, 150.0


def draw_lanes(readings: Sequence[Any], title: str, x: float, width: float) -> tuple[str, float]:
    """The lanes of one step, of which only the last block is drawn, from y = 0 downwards; and their height."""
    columns = _columns(readings[0])
    pitch = (width - LEFT) / len(columns)
    top = 66.0
    bottom = top + len(readings) * (TALL + GAP) - GAP
    drawn = words(title, x, 20, 18)
    for number in range(len(readings)):
        y = top + number * (TALL + GAP)
        drawn += box(x, y, width, TALL, "lane", 6) + words(f"process {number}", x + 12, y + 29, 17, "bold")
    for at, (phase, name) in enumerate(columns):
        left = x + LEFT + at * pitch
        if (phase, name) in MEETS:
            drawn += _meeting(left, pitch, top, bottom, len(readings), at == len(columns) - 1)
        else:
            drawn += "".join(_pill(phase, name, left, top + n * (TALL + GAP), pitch) for n in range(len(readings)))
    turn = next(at for at, (phase, _) in enumerate(columns) if phase == "backward")
    edge = x + LEFT + turn * pitch - 2
    drawn += line(edge, top - 24, edge, bottom + 6, "grid")
    drawn += words("forward →", x + LEFT + 3, top - 12, 16, "quiet")
    drawn += words("backward →", edge + 12, top - 12, 16, "quiet")
    return drawn, bottom + 16


def _columns(reading: Any) -> list[tuple[str, str]]:
    """The steps from the last block's first op to its last one backward, as (phase, name)."""
    steps = [pair for pair in zip(reading.phases, reading.names, strict=True) if pair[1] and pair[1] not in LEFT_OUT]
    turn = next(at for at, (phase, _) in enumerate(steps) if phase == "backward")
    first = max(at for at, (_, name) in enumerate(steps[:turn]) if name == "CopiedBackward")
    last = min(at for at, (_, name) in enumerate(steps) if at >= turn and name == "CopiedBackward")
    return steps[first : last + 1]


def _pill(phase: str, name: str, left: float, y: float, pitch: float) -> str:
    text = fit(name.removesuffix("Backward0").removesuffix("Backward"), pitch - 13, 16)
    inner = words(text, left + pitch / 2 - 2, y + TALL / 2 + 6, 16, "", "middle")
    return box(left + 3, y + 7, pitch - 10, TALL - 14, f"pill {phase}", 16) + inner


def _meeting(left: float, pitch: float, top: float, bottom: float, count: int, is_last: bool) -> str:
    drawn = box(left + 3, top - 4, pitch - 10, bottom - top + 8, "meeting", 10)
    drawn += words("Σ", left + pitch / 2 - 2, (top + bottom) / 2 + 10, 30, "bold", "middle")
    drawn += words("all-reduce", left + pitch / 2 - 2, top - 12, 16, "bold", "middle")
    for number in range(count):
        y = top + number * (TALL + GAP) + TALL / 2
        drawn += line(left - 6, y, left + 14, y, "way")
        drawn += "" if is_last else line(left + pitch - 18, y, left + pitch + 3, y, "way")
    return drawn
