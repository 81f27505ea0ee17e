"""A sheet on which specimens stand, in one theme."""

from __future__ import annotations

from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.palette import THEMES
from autograd_lab.view.kit.pen import say
from autograd_lab.view.kit.shapes.stroke import rect

Drawn = list[str]


def sheet(width: int, height: int, theme: str, drawn: Drawn) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'xml:space="preserve"><style>{language_sheet(theme)}</style>'
        f'<rect width="{width}" height="{height}" fill="{THEMES[theme]["paper"]}"/>{"".join(drawn)}</svg>'
    )


def title(text: str, below: str) -> Drawn:
    return [say(text, 48, 62, "headline"), say(below, 48, 94, "sub")]


def section(y: float, name: str, says: str = "", right: float = 1232) -> Drawn:
    beside = say(says, 48 + text_width(name, 20, bold=True) + 12, y + 26, "quiet")
    return [rect("rule", 48, y, right - 48, 1), say(name, 48, y + 26, "name"), beside]
