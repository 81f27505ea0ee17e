"""The pixels of a picture: painted once, and from then on only where a step changes them.

They are what `to_png` makes of the whole picture, to the last bit. For that, a patch is cut out of a layer that begins
where the picture does, and the pieces that it touches are drawn whole: the renderer would round otherwise what an edge
cuts or what stands elsewhere. A layer costs little; it is PNG, written and read, that is costly.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from autograd_lab.view.movie.cascade import needed
from autograd_lab.view.movie.extent import Area, reach
from autograd_lab.view.movie.pieces import Pieces
from autograd_lab.view.png import to_png

Pixels = NDArray[np.uint8]
BEFORE, AFTER, RIM = 2, 3, 2
"""A layer of resvg reaches at most so many widths and heights of the canvas before its corner, and after it; it goes by
a rim of so many pixels beyond what is on it."""
LAYER = 1.6
"""What a pixel of a layer costs, beside one of a canvas."""
PATCH = 20_000
"""A patch costs as much as so many of its pixels, however small it is."""


class Patch(NamedTuple):
    """Pixels (height × width × RGB), and where in the picture their corner is."""

    left: int
    top: int
    pixels: Pixels

    def of(self, whole: NDArray[Any]) -> NDArray[Any]:
        """What of a whole picture (height × width, and maybe more) lies under the patch, to be read or written."""
        height, width = self.pixels.shape[:2]
        return whole[self.top : self.top + height, self.left : self.left + width]


class Canvas:
    """Paints the steps of what is made of pieces, `scale` pixels to a px."""

    def __init__(self, source: Pieces, scale: float) -> None:
        self._source, self._style = source, source.style
        self.width, self.height = (math.floor(np.float32(side) * np.float32(scale) + 0.5) for side in source.size)
        self._zoom = self.width / source.size[0], self.height / source.size[1]
        self._pieces: dict[str, str] | None = None
        self._areas: dict[str, Area] = {}

    def patches(self, step: int, share: float = 1.0, said: int | None = None) -> list[Patch]:
        """What differs from the time that was asked for before; at first, everything. `said` is the step that is spoken
        of, if not this one."""
        old, new = self._pieces or {}, self._source.between(step, share)
        new |= {} if said is None else self._source.words(said)
        again, self._pieces = self._pieces is None, new
        changed = [name for name in old | new if old.get(name) != new.get(name)]
        dirty = [self._areas.pop(name) for name in changed if name in self._areas]
        for name in changed:
            if (reached := reach(new.get(name, ""), self._style)) is not None:
                self._areas[name] = self._in_pixels(reached)
                dirty.append(self._areas[name])
        whole = Area(0, 0, self.width, self.height)
        return [self._paint(area, new) for area in ([whole] if again else merged(dirty))]

    def _in_pixels(self, area: Area) -> Area:
        """The pixels that an area in px touches, and a rim around them."""
        x, y = self._zoom
        left, top = math.floor(area.left * x) - RIM, math.floor(area.top * y) - RIM
        right, bottom = math.ceil(area.right * x) + RIM, math.ceil(area.bottom * y) + RIM
        return Area(max(0, left), max(0, top), min(self.width, right), min(self.height, bottom))

    def _paint(self, area: Area, pieces: dict[str, str]) -> Patch:
        """The pixels of an area, cut out of a sheet."""
        met = {name: other for name, other in self._areas.items() if other.meets(area)}
        drawn = "".join(piece for name, piece in pieces.items() if name in met)
        sheet, layer = _sheet(area, area.joined(*met.values()))
        x, y = int(sheet.left), int(sheet.top)
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{sheet.right - x}" height="{sheet.bottom - y}" '
            f'xml:space="preserve"><style>{needed(self._style, drawn)}</style>'
            f'<rect width="100%" height="100%" fill="#ffffff"/><g style="isolation:{"isolate" if layer else "auto"}">'
            f'<path d="{layer}" fill="#ffffff"/>'
            f'<g transform="matrix({self._zoom[0]!r} 0 0 {self._zoom[1]!r} {-x} {-y})">{drawn}</g></g></svg>'
        )
        painted = Image.open(io.BytesIO(to_png(svg, scale=1.0))).crop(area.moved(-x, -y))
        return Patch(int(area.left), int(area.top), np.asarray(painted.convert("RGB")))


def _sheet(area: Area, stage: Area) -> tuple[Area, str]:
    """The part of the picture that has to be painted for an area on a stage, the smaller the better.

    It begins where the picture does and goes as far as the stage; or else it begins where the area does, and all of the
    stage is in a layer. What is white of that layer, as the course of a path, reaches from one corner to the other.
    """
    left, top, right, bottom = area
    whole = Area(0, 0, stage.right, stage.bottom)
    width = max(right - left, math.ceil(left / BEFORE), math.ceil((stage.right - left) / AFTER))
    height = max(bottom - top, math.ceil(top / BEFORE), math.ceil((stage.bottom - top) / AFTER))
    if whole.size <= width * height + LAYER * area.size:
        return whole, ""
    here = f"M0 0H{right - left}V{bottom - top}H0z"
    corners = f"M{RIM - left} {RIM - top}h1v1zM{stage.right - left - RIM} {stage.bottom - top - RIM}h-1v-1z"
    return Area(left, top, left + width, top + height), corners + here


def merged(areas: Iterable[Area]) -> list[Area]:
    """Areas that together hold all of these, joined where that is less to paint."""
    apart: list[Area] = []
    for area in areas:
        while near := next((other for other in apart if _cost(area.joined(other)) <= _cost(area) + _cost(other)), None):
            apart.remove(near)
            area = area.joined(near)
        apart.append(area)
    return apart


def _cost(area: Area) -> float:
    return PATCH + area.size


def pictures(frames: Iterable[list[Patch]], size: tuple[int, int]) -> Iterator[Pixels]:
    """The whole picture after each frame's patches, white beyond them; the next frame changes it in place."""
    picture = np.full((size[1], size[0], 3), 255, np.uint8)
    for patches in frames:
        for patch in patches:
            patch.of(picture)[:] = patch.pixels
        yield picture
