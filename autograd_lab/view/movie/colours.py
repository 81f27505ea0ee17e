"""The colours of a GIF: one palette for a whole movie, since it is the style sheet alone that has colours.

Each of its colours is there exactly; the others stand for the blends at the edges of letters and lines. Nothing is
dithered, so that what is plain stays plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from PIL import Image

CLEAR = 255
"""The index of no colour: what leaves a pixel as it was."""
SHADES = 16
"""Blends of two colours that the palette is to stand for."""
PAPER = "#ffffff"
COLOUR = r"#[0-9a-f]{6}\b"

Bytes = NDArray[np.uint8]


@cache
def palette(style: str) -> Bytes:
    """The colours for pictures in this style (255 × RGB)."""
    exact = list(dict.fromkeys([PAPER, *re.findall(COLOUR, style)]))
    part = np.linspace(0, 1, SHADES + 2)[1:-1, None]
    one, other = map(_colours, zip(*neighbours(style), strict=True))
    blends = one[:, None] * (1 - part) + other[:, None] * part
    picture = Image.fromarray(blends.round().astype(np.uint8))
    chosen = np.array(picture.quantize(CLEAR - len(exact), kmeans=2).getpalette())
    return np.concatenate([_colours(exact), chosen.reshape(-1, 3)])[:CLEAR].astype(np.uint8)


def neighbours(style: str) -> list[tuple[str, str]]:
    """Colours that may meet: those of lines, letters and plain areas each other, those of scales the paper alone."""
    plain = dict.fromkeys([PAPER, *re.findall(rf"[{{;](?:fill|stroke):({COLOUR})", style)])
    scales = dict.fromkeys(colour for colour in re.findall(COLOUR, style) if colour not in plain)
    return [*combinations(plain, 2), *product(scales, [PAPER])]


def _colours(names: Iterable[str]) -> Bytes:
    return np.array([list(bytes.fromhex(name[1:])) for name in names], np.uint8)


class Matcher:
    """Finds the nearest colours of a palette; each is looked for once, since few occur."""

    def __init__(self, colours: Bytes) -> None:
        self._colours = colours.astype(np.int32)
        self._found = np.full(1 << 24, CLEAR, np.uint8)

    def __call__(self, pixels: Bytes) -> Bytes:
        """The indices (height × width) of pixels (height × width × RGB)."""
        red, green, blue = np.moveaxis(pixels.astype(np.int32), -1, 0)
        keys = red << 16 | green << 8 | blue
        if (new := np.unique(keys[self._found[keys] == CLEAR])).size:
            colours = np.stack([new >> 16, new >> 8 & 255, new & 255], -1)
            apart = colours[:, None] - self._colours
            self._found[new] = (apart**2).sum(-1).argmin(-1)
        return self._found[keys]
