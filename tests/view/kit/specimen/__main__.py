"""Write all sheets in all themes, and as a deuteranope sees them."""

from __future__ import annotations

import sys
from pathlib import Path

from autograd_lab.view.kit.palette import THEMES
from autograd_lab.view.png import to_png
from tests.view.kit.specimen.card_sheet import card_sheet
from tests.view.kit.specimen.colour_sheet import as_a_deuteranope_sees, colour_sheet
from tests.view.kit.specimen.edge_sheet import edge_sheet
from tests.view.kit.specimen.type_sheet import type_sheet

SHEETS = {"cards": card_sheet, "edges-tiles": edge_sheet, "type-panels": type_sheet, "colour": colour_sheet}


def drawn() -> dict[str, str]:
    """All sheets by name, as SVG."""
    sheets = {f"{name}-{theme}": draw(theme) for name, draw in SHEETS.items() for theme in THEMES}
    return sheets | {f"{name}-deuteranopia": as_a_deuteranope_sees(draw("light")) for name, draw in SHEETS.items()}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in drawn().items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
        (folder / f"{name}.png").write_bytes(to_png(svg, scale=1))
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
