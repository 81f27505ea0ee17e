"""Charts: bytes held over the steps of a program, what is kept as tabs on a shelf, and sizes of numbers as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.ink import box, line, words
from autograd_lab.view.kit.numeral import bytes_text

LABELS = {"forward": "forward", "backward": "backward", "again": "again"}


def step_chart(
    label: str, held: Sequence[int], phases: Sequence[str], place: tuple[float, float, float, float], steps: int,
    top: int,
) -> str:  # fmt: skip
    """Bytes held after each step, in a frame at `place` (x, y, width, height) for so many steps and bytes.

    Behind it stand the phases; the highest point is named.
    """
    x, y, width, height = place
    across, up = width / max(steps - 1, 1), height / top
    bands = _bands(phases, x, y, across, height)
    grid = "".join(
        line(x, level, x + width, level, "grid") + words(text, x - 10, level + 6, 16, "quiet", "end")
        for level, text in ((y + height - tick * up, bytes_text(tick)) for tick in ticks(top))
    )
    points = [(x + number * across, y + height - bytes_held * up) for number, bytes_held in enumerate(held)]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}" + "".join(f"H{px:.1f}V{py:.1f}" for px, py in points[1:])
    highest = max(range(len(held)), key=held.__getitem__)
    px, py = points[highest]
    named = f"{bytes_text(held[highest])} at most"
    left = px + 14 + text_width(named, 18, bold=True) > x + width
    peak = f'<circle class="dot" cx="{px:.1f}" cy="{py:.1f}" r="6"/>'
    peak += words(named, px + (-14 if left else 14), max(py - 10, y + 18), 18, "bold", "end" if left else "start")
    frame = box(x, y, width, height, "frame")
    return f'{bands}{grid}<path class="held" d="{path}"/>{frame}{peak}{words(label, x + 12, y + 28, 20, "bold")}'


def _bands(phases: Sequence[str], x: float, y: float, across: float, height: float) -> str:
    drawn, start = "", 0
    for phase, run in groupby(phases):
        count = len(list(run))
        left, width = x + max(start - 1, 0) * across, (count - (start == 0)) * across
        drawn += box(left, y, width, height, f"band {phase}")
        if text_width(LABELS[phase], 16) + 2 < width:
            drawn += words(LABELS[phase], left + width / 2, y - 8, 16, "quiet", "middle")
        start += count
    return drawn


def ticks(top: int) -> list[int]:
    """Up to five round numbers of bytes up to `top`.

    >>> ticks(13 * 2**20)
    [0, 4194304, 8388608, 12582912]
    """
    step = 1
    while step * 4 < top:
        step *= 2
    return [step * number for number in range(5) if step * number <= top]


def shelf(label: str, kept: Sequence[Any], x: float, y: float, width: float, scale: float) -> str:
    """What a graph keeps, each array a tab as wide as it has bytes (`scale` px each); below, what is kept elsewhere."""
    here = [one.nbytes for one in kept if not one.elsewhere]
    away = [one.nbytes for one in kept if one.elsewhere]
    told = f"{label}: {bytes_text(sum(here))} in {len(here)} array{'s' * (len(here) != 1)}"
    if away:
        told += " · 1 slot holds nothing here" if len(away) == 1 else f" · {len(away)} slots hold nothing here"
        told += f": {bytes_text(sum(away))} elsewhere" if sum(away) else ""
    drawn, at = words(told, x, y + 16, 17), x
    for nbytes in here:
        drawn += box(at, y + 26, max(nbytes * scale - 1, 1), 26, "tab", 2)
        at += nbytes * scale
    small = min(14.0, width / max(len(away), 1))
    for number in range(len(away)):
        drawn += box(x + number * small, y + (58 if here else 28), small - 2, 14, "tab elsewhere", 2)
    return drawn


POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Histogram:
    """How many numbers have which size: the share of those from 2ⁿ up to 2ⁿ⁺¹, for each n from `first` on.

    `told` says what becomes of them.
    """

    label: str
    first: int
    shares: tuple[float, ...]
    told: str

    @classmethod
    def of(cls, label: str, numbers: Any, told: str) -> Histogram:
        """That of an array, but for its zeros."""
        powers = np.floor(np.log2(np.abs(numbers[numbers != 0]))).astype(int)
        counts = np.bincount(powers - powers.min())
        return cls(label, int(powers.min()), tuple((counts / counts.sum()).tolist()), told)


@dataclass(frozen=True)
class Limits:
    """Where a floating dtype ends: numbers below 2 to the `least` are 0 in it, those below 2 to the `normal` coarse."""

    dtype: str
    least: int
    normal: int


def histograms(title: str, each: Sequence[Histogram], limits: Limits, x: float, width: float) -> tuple[str, float]:
    """Histograms on one axis, below each other from y = 0 downwards; and their height."""
    low = min(min(one.first for one in each), limits.least - 8)
    high = max(max(one.first + len(one.shares) for one in each), limits.normal + 8)
    unit, tall = width / (high - low), 92.0

    def across(power: float) -> float:
        return x + (power - low) * unit

    base = 84.0
    drawn = words(title, x, 14, 18)
    edges = [low, limits.least, limits.normal, high]
    said = (f"0 in {limits.dtype}", "few digits", "all digits")
    for start, end, text, kind in zip(edges, edges[1:], said, ("lost", "coarse", ""), strict=False):
        drawn += box(across(start), 48, (end - start) * unit - 2, 8, f"bar {kind}")
        drawn += words(text, across((start + end) / 2), 41, 15, "quiet", "middle")
    for one in each:
        base += tall
        for at, share in enumerate(one.shares):
            power = one.first + at
            kind = "lost" if power < limits.least else "coarse" if power < limits.normal else ""
            size = share / max(one.shares) * (tall - 26)
            drawn += box(across(power), base - size, unit - 2, size, f"bar {kind}")
        drawn += line(x, base, x + width, base, "way")
        drawn += words(one.label, x, base - tall + 24, 18, "bold") + words(one.told, x, base - tall + 48, 18, "alarm")
        base += 26
    drawn += line(across(limits.least), 60, across(limits.least), base - 26, "limit")
    for power in range(math.ceil(low / 4) * 4, high + 1, 4):
        drawn += words(f"2{str(power).translate(POWERS)}", across(power), base - 4, 15, "quiet", "middle")
    return drawn, base + 6
