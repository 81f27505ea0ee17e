"""Colours and their contrasts, and what others see of them."""

from __future__ import annotations

import re

from autograd_lab.view.kit.palette import THEMES
from autograd_lab.view.kit.pen import say
from autograd_lab.view.kit.tile import Tile, draw_tile
from tests.view.kit.specimen.contrast import contrast, linear, written
from tests.view.kit.specimen.paper import Drawn, section, sheet, title

DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881))
"""Machado, Oliveira and Fernandes 2009, severity 1; for linear RGB."""
NAMES = ("ink", "quiet", "hair", "leaf_line", "plus", "minus", "alarm", "now")


def as_a_deuteranope_sees(svg: str) -> str:
    """The same picture with each colour replaced."""

    def seen(found: re.Match[str]) -> str:
        rgb = linear(found[0])
        return written([sum(part * value for part, value in zip(row, rgb, strict=True)) for row in DEUTERANOPIA])

    return re.sub(r"#[0-9a-f]{6}\b", seen, svg)


def swatches() -> Drawn:
    drawn: Drawn = []
    for column, (theme, colours) in enumerate(THEMES.items()):
        x = 330 + 310 * column
        drawn.append(say(theme, x, 126, "note"))
        for row, name in enumerate(NAMES):
            y, paper = 140 + 54 * row, colours["paper"]
            fill = f'fill="{paper}" stroke="{colours["faint"]}"'
            drawn.append(f'<rect x="{x}" y="{y}" width="282" height="48" {fill}/>')
            drawn.append(f'<rect x="{x + 10}" y="{y + 9}" width="56" height="30" rx="6" fill="{colours[name]}"/>')
            ratio = f"{contrast(colours[name], paper):.1f} : 1"
            drawn.append(
                f'<text x="{x + 270}" y="{y + 30}" class="end"><tspan fill="{colours["ink"]}">{ratio}</tspan></text>'
            )
    return drawn + [say(name, 48, 168 + 54 * row, "name") for row, name in enumerate(NAMES)]


def colour_sheet(theme: str) -> str:
    drawn = title("Colour", "Five hues, one meaning each; never alone.")
    row = (tuple(step / 8 for step in range(-8, 9)),)
    tiles = [draw_tile(Tile(row, "value", 1), 48, 640, 24), draw_tile(Tile(row, "gradient", 1), 520, 640, 24)]
    tiles += [draw_tile(Tile(row, "value", 1), 48, 690, 8), draw_tile(Tile(row, "gradient", 1), 520, 690, 8)]
    return sheet(1280, 740, theme, [*drawn, *swatches(), *section(590, "Scales"), *tiles])
