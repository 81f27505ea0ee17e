"""Two half moons for a network to tell apart, and their picture: the points, and the border that a network draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from string import Template
from typing import Any

import numpy as np

from autograd_lab.display.picture import Drawing
from autograd_lab.lessons.worded import worded
from autograd_lab.view.kit.ink import box, ink_sheet, line, picture, words
from autograd_lab.view.kit.palette import LIGHT

Answer = Callable[[Any], Any]
"""What a network says of places, (n, 2): numbers, (n, 1), whose sign is the side."""
LEFT, RIGHT, BOTTOM, TOP = -1.4, 2.4, -0.95, 1.35
"""The part of the plane that is drawn."""
ACROSS, DOWN, SCALE, MARGIN, HEAD, FOOT = 76, 46, 118.0, 24.0, 40.0, 52.0
"""Cells of the plane, px to a unit, and the room around a plane, px."""
WIDE, TALL = SCALE * (RIGHT - LEFT), SCALE * (TOP - BOTTOM)
STYLE = Template("""
.below { fill: $value_minus1; } .above { fill: $value_plus1; }
.border { stroke: $ink; stroke-width: 2.5; stroke-linecap: round; }
.round { fill: $value_minus5; stroke: $paper; stroke-width: 1.2; }
.square { fill: $value_plus6; stroke: $paper; stroke-width: 1.2; }
""")


def moons(points: int = 60) -> tuple[Any, Any]:
    """Two half moons that reach into each other: points of shape (points, 2), and -1 or 1 for each, (points, 1)."""
    angle = np.linspace(0, np.pi, points // 2)
    upper = np.stack([np.cos(angle), np.sin(angle)], 1)
    lower = np.stack([1 - np.cos(angle), 0.4 - np.sin(angle)], 1)
    return np.concatenate([upper, lower]), np.repeat([[-1.0], [1.0]], points // 2, axis=0)


def draw_moons(points: Any, sides: Any, answers: Mapping[str, Answer]) -> Drawing:
    """The points on the plane, once for each answer, by what it is called; the plane is shaded by its side."""
    body, said = "", []
    for number, (name, answer) in enumerate(answers.items()):
        x = MARGIN + number * (WIDE + MARGIN)
        right = int((np.sign(answer(points)) == sides).sum())
        told = worded("{name}: {right} of {all} points on the right side", name=name, right=right, all=len(points))
        body += words(told, x, HEAD - 12, 18, "bold") + _panel(points, sides, answer, x)
        said.append(told)
    width, title = MARGIN + len(answers) * (WIDE + MARGIN), worded("Two half moons, and the border of a network")
    body += _legend(HEAD + TALL + 32)
    style = ink_sheet() + STYLE.substitute(LIGHT)
    return Drawing(title, picture(width, HEAD + TALL + FOOT, title, "; ".join(said), body, style, LIGHT["paper"]))


def _panel(points: Any, sides: Any, answer: Answer, x: float) -> str:
    xs, ys = np.linspace(LEFT, RIGHT, ACROSS + 1), np.linspace(TOP, BOTTOM, DOWN + 1)
    plane = np.stack(np.meshgrid(xs, ys), -1).reshape(-1, 2)
    heights = np.asarray(answer(plane), np.float64).reshape(DOWN + 1, ACROSS + 1)
    drawn = box(x, HEAD, WIDE, TALL, "below") + "".join(_shaded(heights, x))
    drawn += "".join(line(*_at(*start, x), *_at(*end, x), "border") for start, end in border(heights))
    for (across, up), side in zip(points, np.ravel(sides), strict=True):
        drawn += _mark(x + SCALE * (across - LEFT), HEAD + SCALE * (TOP - up), side)
    return drawn + box(x, HEAD, WIDE, TALL, "frame")


def _mark(x: float, y: float, side: float) -> str:
    return box(x - 5, y - 5, 10, 10, "square" if side > 0 else "round", 0 if side > 0 else 5)


def _at(row: float, column: float, x: float) -> tuple[float, float]:
    return x + WIDE * column / ACROSS, HEAD + TALL * row / DOWN


def _shaded(heights: Any, x: float) -> Iterator[str]:
    """Where the answer is above 0: a strip for each stretch of a row of cells."""
    middles = (heights[1:, 1:] + heights[:-1, 1:] + heights[1:, :-1] + heights[:-1, :-1]) / 4
    for row, above in enumerate(middles > 0):
        turns = np.flatnonzero(np.diff(np.concatenate([[0], above.astype(int), [0]])))
        for begin, end in zip(turns[::2], turns[1::2], strict=True):
            left, top = _at(row, begin, x)
            yield box(left, top, WIDE * (end - begin) / ACROSS, TALL / DOWN + 0.4, "above")


def border(heights: Any) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Pieces of the line on which heights over a grid are 0, from (row, column) to (row, column)."""
    for row in range(len(heights) - 1):
        for column in range(len(heights[0]) - 1):
            corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
            sides = zip(corners, corners[1:] + corners[:1], strict=True)
            met = [_zero(a, b, heights[a], heights[b]) for a, b in sides if (heights[a] > 0) != (heights[b] > 0)]
            yield from zip(met[::2], met[1::2], strict=True)


def _zero(a: tuple[int, int], b: tuple[int, int], low: float, high: float) -> tuple[float, float]:
    """Where a straight line from one height to another is 0."""
    share = low / (low - high)
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _legend(y: float) -> str:
    drawn = _mark(MARGIN + 8, y - 6, -1) + words(worded("side −1"), MARGIN + 22, y, 16)
    drawn += _mark(MARGIN + 118, y - 6, 1) + words(worded("side 1"), MARGIN + 132, y, 16)
    drawn += line(MARGIN + 210, y - 6, MARGIN + 240, y - 6, "border")
    return drawn + words(worded("border: here the network says 0"), MARGIN + 250, y, 16)
