"""What shapes are drawn with: rectangles, paths, circles and texts at plain numbers.

>>> short(1.50), short(-0.004), short(12)
('1.5', '0', '12')
"""

from __future__ import annotations

from functools import lru_cache

from autograd_lab.view.kit.font import clean, text_width
from autograd_lab.view.kit.pen import say


@lru_cache(1 << 16)  # the same places are written for each step, size and theme
def short(number: float) -> str:
    """A coordinate in hundredths of a px, with no digit more than it needs."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def wide(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text will be as `say` says it, px."""
    return text_width(clean(text), size, bold=bold)


def rect(classes: str, x: float, y: float, width: float, height: float, radius: float = 0) -> str:
    """A rectangle, never of negative size."""
    size = f'width="{short(max(width, 0))}" height="{short(max(height, 0))}"'
    round_ = f' rx="{short(radius)}"' if radius else ""
    return f'<rect class="{classes}" x="{short(x)}" y="{short(y)}" {size}{round_}/>'


def path(classes: str, course: str, width: float | None = None) -> str:
    """A path; of a width of its own where its class has none."""
    stroke = "" if width is None else f' stroke-width="{short(width)}"'
    return f'<path class="{classes}" d="{course}"{stroke}/>'


def circle(classes: str, x: float, y: float, radius: float) -> str:
    """A circle."""
    return f'<circle class="{classes}" cx="{short(x)}" cy="{short(y)}" r="{short(radius)}"/>'


def group(classes: str, *inner: str, id: str = "") -> str:
    """What is restyled together."""
    name = f' id="{id}"' if id else ""
    return f'<g{name} class="{classes}">{"".join(inner)}</g>'


def at(x: float, y: float) -> str:
    """A point in a path."""
    return f"{short(x)} {short(y)}"


def lower_corners(x: float, y: float, width: float, height: float, radius: float) -> str:
    """The course of a shape that is square above and round below."""
    r = short(radius)
    return (
        f"M{at(x, y)}v{short(height - radius)}q0 {r} {r} {r}h{short(width - 2 * radius)}"
        f"q{r} 0 {r} -{r}v{short(radius - height)}z"
    )


__all__ = ["at", "circle", "group", "lower_corners", "path", "rect", "say", "short", "wide"]
