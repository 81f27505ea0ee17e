"""Worksheets as files: SVG and PNG as they are, PDF as a page of the right size at 300 dots an inch."""

from __future__ import annotations

import io
from pathlib import Path

from autograd_lab.classroom.demos.worksheet import Sheet
from autograd_lab.display.target import Misuse
from autograd_lab.view.kit.font import svg_file
from autograd_lab.view.png import to_png

SUFFIXES = (".pdf", ".png", ".svg")
DOTS = 300
SCALE = DOTS / 96


def key_path(path: Path) -> Path:
    """Where the key goes: beside the sheet, so that handing out one does not give away the other."""
    return path.with_name(f"{path.stem}-key{path.suffix}")


def on_paper(sheet: Sheet, suffix: str) -> bytes:
    """The page as a file. Raises Misuse for a PDF without Pillow, PngUnavailable."""
    if suffix == ".svg":
        return svg_file(sheet.svg)
    png = to_png(sheet.svg, scale=SCALE)
    return png if suffix == ".png" else _pdf(png)


def _pdf(png: bytes) -> bytes:
    try:
        from PIL import Image
    except ImportError:
        raise Misuse("a PDF needs Pillow: pip install 'autograd-lab[export]' (.png and .svg do without)") from None
    out = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.convert("L").save(out, "PDF", resolution=DOTS, quality=90)
    return out.getvalue()
