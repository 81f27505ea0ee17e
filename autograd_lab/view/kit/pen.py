"""What every drawing is made of: texts, outlines, groups, lines and arrowheads, as SVG.

All text of the user's program goes through `say`, which escapes it and marks characters that the font cannot draw.
"""

from __future__ import annotations

from html import escape

from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.part import Look, Part

Path = tuple[tuple[float, float], ...]


def say(text: str, x: float, y: float, classes: str = "") -> str:
    """A text; the style sheet has the font of its classes, and tells whether it begins or ends at x."""
    if not text:
        return ""
    kind = f' class="{classes}"' if classes else ""
    return f'<text x="{x:.7g}" y="{y:.7g}"{kind}>{escape(clean(text))}</text>'


def say_title(text: str) -> str:
    """What a group shows, in words: for a screen reader, and where a pointer rests on it."""
    return f"<title>{escape(clean(text))}</title>" if text else ""


def group(part: Part, kind: str, look: Look, inner: str) -> str:
    """A part with all that it is drawn by."""
    return f'<g id="{escape(clean(part.id))}" class="{escape(clean(" ".join((kind, *look.classes))))}">{inner}</g>'


def rect(part: Part, radius: float, classes: str = "shape") -> str:
    """The outline of a part."""
    return (
        f'<rect class="{classes}" x="{part.x:.7g}" y="{part.y:.7g}" width="{part.width:.7g}" '
        f'height="{part.height:.7g}" rx="{radius:g}"/>'
    )


def framed(part: Part, look: Look, radius: float) -> str:
    """The outline of a part; lit from behind if it is what happens now."""
    return (rect(part, radius, "halo") if "now" in look.classes else "") + rect(part, radius)


def path_of(route: Path) -> str:
    """An SVG path of a route: a start, then triples of two control points and an end."""
    (x, y), rest = route[0], route[1:]
    return f"M{x:.7g} {y:.7g}" + (f"C{' '.join([f'{x:.7g} {y:.7g}' for x, y in rest])}" if rest else "")
