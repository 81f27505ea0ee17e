"""An SVG as PNG bytes, with the bundled fonts alone: no browser, no system font, no system library.

The bytes repeat from run to run and from machine to machine.
"""

from __future__ import annotations

import re

from autograd_lab.view.kit.font import FAMILY, FONT_FILES, MISSING, MONO_FAMILY, covers

MAX_SIDE = 8000
"""The longest side of a picture in pixels: beyond it, memory and time grow out of proportion."""

EXPORT = "pip install 'autograd-lab[export]'"
"""How one gets what writes other files than PNG and SVG."""

CSS_DPI = 96  # without it resvg refuses sizes in pt


class PngUnavailable(RuntimeError):
    """Nothing here can turn an SVG into pixels."""


def to_png(svg: str, *, scale: float = 2.0, max_side: int = MAX_SIDE) -> bytes:
    """The picture as PNG, `scale` pixels to one px of the SVG, fewer where a side would exceed `max_side` pixels.

    `png_scale` tells which scale that will be. A character that the fonts lack is drawn as `□`.
    Raises PngUnavailable without resvg-py, ValueError for a text that is no SVG with a width and height.
    """
    try:
        import resvg_py
    except ImportError:
        raise PngUnavailable("a PNG needs resvg-py: pip install resvg-py (an SVG works without it)") from None
    zoom = png_scale(*svg_size(svg), scale, max_side)
    try:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=drawable(svg),
                zoom=zoom,
                dpi=CSS_DPI,
                skip_system_fonts=True,
                font_files=[str(path) for path in FONT_FILES],
                font_family=FAMILY,
                sans_serif_family=FAMILY,
                monospace_family=MONO_FAMILY,
            )
        )
    except Exception as error:  # resvg-py raises bare ValueError or a Rust panic's own class
        raise ValueError(f"the SVG cannot be drawn: {error}") from error


def png_scale(width: float, height: float, scale: float = 2.0, max_side: int = MAX_SIDE) -> float:
    """The scale at which a picture of this size in px is drawn: `scale`, or what brings the long side to `max_side`.

    >>> png_scale(900, 400), png_scale(16000, 400)
    (2.0, 0.5)
    """
    return min(scale, max_side / max(width, height, 1.0))


def svg_size(svg: str) -> tuple[float, float]:
    """Width and height in px, as the root element of an SVG states them.

    >>> svg_size('<svg xmlns="http://www.w3.org/2000/svg" width="90.5" height="40px"/>')
    (90.5, 40.0)
    """
    root = re.search(r"<svg\b[^>]*>", svg)
    sides = [re.search(rf'\s{side}="([\d.]+)(?:px)?"', root[0]) if root else None for side in ("width", "height")]
    if sides[0] is None or sides[1] is None:
        raise ValueError("an SVG whose root element has a width and a height in px is wanted")
    return float(sides[0][1]), float(sides[1][1])


def drawable(svg: str) -> str:
    """All markup is ASCII, so whatever the fonts lack is text, which resvg would leave out without a word."""
    return svg if svg.isascii() else re.sub(r"[^\x00-\x7f]", _stand_in, svg)


def _stand_in(found: re.Match[str]) -> str:
    char = found[0]
    return char if covers(char) else "" if "\ufe00" <= char <= "\ufe0f" else MISSING
