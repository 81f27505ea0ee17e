"""The colours of a GIF: one palette for all movies, since it is the style sheet alone that has colours.

Each of its colours is there exactly; the others stand for the blends at the edges of letters and lines. Nothing is
dithered, so that what is plain stays plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from autograd_lab.view.kit.style import LIGHT, style_sheet

CLEAR = 255
"""The index of no colour: what leaves a pixel as it was."""
SHADES = 16
"""Blends of two colours that the palette is to stand for."""

Bytes = NDArray[np.uint8]


@cache
def palette() -> Bytes:
    """The colours (255 × RGB)."""
    exact = _colours(re.findall(r"#[0-9a-f]{6}\b", style_sheet()))
    part = np.linspace(0, 1, SHADES + 2)[1:-1, None]
    blends = [one * (1 - part) + other * part for one, other in combinations(_colours(LIGHT.values()), 2)]
    picture = Image.fromarray(np.concatenate(blends).round().astype(np.uint8)[None])
    chosen = np.array(picture.quantize(CLEAR - len(exact), kmeans=2).getpalette())
    return np.concatenate([exact, chosen.reshape(-1, 3)])[:CLEAR].astype(np.uint8)


def _colours(names: Iterable[str]) -> Bytes:
    return np.array([list(bytes.fromhex(name[1:])) for name in dict.fromkeys(names)], np.uint8)


class Matcher:
    """Finds the nearest colours of the palette; each is looked for once, since few occur."""

    def __init__(self) -> None:
        self._found = np.full(1 << 24, CLEAR, np.uint8)

    def __call__(self, pixels: Bytes) -> Bytes:
        """The indices (height × width) of pixels (height × width × RGB)."""
        red, green, blue = np.moveaxis(pixels.astype(np.int32), -1, 0)
        keys = red << 16 | green << 8 | blue
        if (new := np.unique(keys[self._found[keys] == CLEAR])).size:
            colours = np.stack([new >> 16, new >> 8 & 255, new & 255], -1)
            apart = colours[:, None] - palette().astype(np.int32)
            self._found[new] = (apart**2).sum(-1).argmin(-1)
        return self._found[keys]
