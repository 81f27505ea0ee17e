"""Worksheets as files: SVG, PDF as a page of the right size, PNG at 300 dots an inch."""

from __future__ import annotations

from pathlib import Path

from autograd_lab.classroom.demos.worksheet import Sheet
from autograd_lab.view.picture_file import picture_file

SUFFIXES = (".pdf", ".png", ".svg")
DOTS = 300
SCALE = DOTS / 96


def key_path(path: Path) -> Path:
    """Where the key goes: beside the sheet, so that handing out one does not give away the other."""
    return path.with_name(f"{path.stem}-key{path.suffix}")


def on_paper(sheet: Sheet, suffix: str) -> bytes:
    """The page as a file. Raises PdfUnavailable and PngUnavailable where the package for it is missing."""
    return picture_file(sheet.svg, suffix, SCALE)
