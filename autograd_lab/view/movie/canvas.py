"""The pixels of a scene: painted once, and from then on only where a step changes them.

They are what `to_png` makes of `scene_svg(…, same_size=True)`, to the last bit. For that, a patch is cut out of a layer
that begins where the picture does, and the pieces that it touches are drawn whole: the renderer would round otherwise
what an edge cuts or what stands elsewhere. A layer costs little; it is PNG, written and read, that is costly.
"""

from __future__ import annotations

import io
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from autograd_lab.view.graph.legend import entries_of
from autograd_lab.view.kit.part import Look
from autograd_lab.view.movie.extent import Area, reach
from autograd_lab.view.png import to_png
from autograd_lab.view.scene import Scene
from autograd_lab.view.svg import draw_foot, draw_panel, draw_part, legend_rows
from autograd_lab.view.track import look_at

Pixels = NDArray[np.uint8]
BEFORE, AFTER, RIM = 2, 3, 2
"""A layer of resvg reaches at most so many widths and heights of the canvas before its corner, and after it; it goes by
a rim of so many pixels beyond what is on it."""


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
    """Paints the steps of a scene in the size that all of them fit, `scale` pixels to a px."""

    def __init__(self, scene: Scene, scale: float) -> None:
        self._scene = scene
        bottom = scene.height_for(len(scene.entries))
        px = round(scene.width), round(bottom)
        self.width, self.height = (math.floor(np.float32(side) * np.float32(scale) + 0.5) for side in px)
        self._zoom = self.width / px[0], self.height / px[1]
        self._whole = Area(0, 0, self.width, self.height)
        self._parts = {part.id: part for part in scene.parts}
        self._changes: dict[int, dict[str, Look]] = defaultdict(dict)
        for name, track in scene.tracks.items():
            for step, look in track:
                self._changes[step][name] = look
        self._looks: dict[str, Look] = {}
        self._pieces = dict.fromkeys(_painted(scene), "")
        self._areas: dict[str, Area] = {}
        self._step = -1
        self._put({"panel": draw_panel(scene), "foot": draw_foot(scene, bottom)})

    def patches(self, step: int) -> list[Patch]:
        """What has changed since the step that was asked for before; at first, and when going back, everything."""
        looks: dict[str, Look] = {}
        again = not 0 <= self._step <= step
        if again:
            looks = {name: look_at(track, step) for name, track in self._scene.tracks.items()}
        else:
            for at in range(self._step + 1, step + 1):
                looks |= self._changes.get(at, {})
        self._step = step
        self._looks |= looks
        dirty = self._put({name: self._draw(name) for name in looks} | self._legend())
        return [self._paint(area) for area in ([self._whole] if again else merged(dirty))]

    def _draw(self, name: str) -> str:
        look = self._looks[name]
        return "" if "hidden" in look.classes else draw_part(self._parts[name], look, self._scene)

    def _legend(self) -> dict[str, str]:
        entries = entries_of((part.kind, self._looks[name]) for name, part in self._parts.items())
        rows = legend_rows(entries, self._scene.entries, self._scene)
        return {f"legend {number}": row and f'<g class="legend">{row}</g>' for number, row in enumerate(rows)}

    def _put(self, pieces: dict[str, str]) -> list[Area]:
        """Take these pieces for those of the same names; where that changes the picture."""
        dirty = []
        for name, piece in pieces.items():
            if piece == self._pieces[name]:
                continue
            self._pieces[name] = piece
            if name in self._areas:
                dirty.append(self._areas.pop(name))
            if (reached := reach(piece)) is not None:
                self._areas[name] = self._in_pixels(reached)
                dirty.append(self._areas[name])
        return dirty

    def _in_pixels(self, area: Area) -> Area:
        """The pixels that an area in px touches, and a rim around them."""
        (x, y), whole = self._zoom, self._whole
        left, top = math.floor(area.left * x) - RIM, math.floor(area.top * y) - RIM
        right, bottom = math.ceil(area.right * x) + RIM, math.ceil(area.bottom * y) + RIM
        return Area(max(0, left), max(0, top), min(whole.right, right), min(whole.bottom, bottom))

    def _paint(self, area: Area) -> Patch:
        """The pixels of an area."""
        left, top, right, bottom = map(int, area)
        met = {name: other for name, other in self._areas.items() if other.meets(area)}
        stage = area.joined(*met.values())
        width = max(right - left, math.ceil(left / BEFORE), math.ceil((stage.right - left) / AFTER))
        height = max(bottom - top, math.ceil(top / BEFORE), math.ceil((stage.bottom - top) / AFTER))
        paper = f'x="{RIM - left}" y="{RIM - top}" width="{stage.right - 2 * RIM}" height="{stage.bottom - 2 * RIM}"'
        move = f"matrix({self._zoom[0]!r} 0 0 {self._zoom[1]!r} {-left} {-top})"
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" xml:space="preserve">'
            f"<style>{self._scene.style}</style>"
            f'<rect width="100%" height="100%" fill="#ffffff"/>'
            f'<g style="isolation:isolate"><rect {paper} fill="#ffffff"/><g transform="{move}">'
            f"{''.join(piece for name, piece in self._pieces.items() if name in met)}</g></g></svg>"
        )
        painted = np.asarray(Image.open(io.BytesIO(to_png(svg, scale=1.0))).convert("RGB"))
        return Patch(left, top, painted[: bottom - top, : right - left])


def _painted(scene: Scene) -> Iterable[str]:
    """The names of all pieces, in the order in which `scene_svg` paints them."""
    yield from (part.id for part in scene.parts if part.kind != "code")
    yield "panel"
    yield from (part.id for part in scene.parts if part.kind == "code")
    yield from (f"legend {number}" for number in range(len(scene.entries)))
    yield "foot"


def merged(areas: Iterable[Area]) -> list[Area]:
    """Areas that together hold all of these, and of which no two meet."""
    apart: list[Area] = []
    for area in areas:
        while near := [other for other in apart if other.meets(area)]:
            apart = [other for other in apart if not other.meets(area)]
            area = area.joined(*near)
        apart.append(area)
    return apart


def pictures(frames: Iterable[list[Patch]], size: tuple[int, int]) -> Iterator[Pixels]:
    """The whole picture after each frame's patches, white beyond them; the next frame changes it in place."""
    picture = np.full((size[1], size[0], 3), 255, np.uint8)
    for patches in frames:
        for patch in patches:
            patch.of(picture)[:] = patch.pixels
        yield picture
