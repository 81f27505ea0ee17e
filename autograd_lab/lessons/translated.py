"""The cells of a notebook in another language, and which lessons a language has."""

from __future__ import annotations

import re
from typing import Any

from autograd_lab.lessons.cell_texts import code_said, prose_said
from autograd_lab.lessons.worded import PART
from autograd_lab.view.languages.pairs import ENGLISH, chapters, languages
from autograd_lab.view.languages.speaking import language

WORLD = "torch = world()"
SPEAK = 'from autograd_lab.lessons import world\n\nworld(language="{}")\n\n'.format
"""What the first cell of a notebook without a world begins with."""
LINK = re.compile(r"(\]\()(?:[a-z]{2}/)?(?=(\w+)\.ipynb\))")
"""What stands before a link to another notebook."""


def translations(name: str) -> list[str]:
    """The languages that a notebook such as `03_backward` is translated to."""
    return [code for code in languages() if code != ENGLISH and _chapter(name) in chapters(code, PART)]


def translate(notebook: Any) -> None:
    """Have a notebook speak the language that is spoken, by itself when it runs; nothing happens to an English one."""
    if language() == ENGLISH:
        return
    for cell in notebook.cells:
        said = code_said(cell.source) if cell.cell_type == "code" else LINK.sub(_to, prose_said(cell.source))
        cell.source = said.replace(WORLD, f'torch = world(language="{language()}")')
    if not any("world(" in cell.source for cell in notebook.cells):
        first = next(cell for cell in notebook.cells if cell.cell_type == "code")
        first.source = SPEAK(language()) + first.source


def _to(link: re.Match[str]) -> str:
    """The way to a notebook: one that is not translated is in the folder above."""
    return link[1] + ("" if language() in translations(link[2]) else "../")


def _chapter(name: str) -> str:
    """
    >>> _chapter("03_backward"), _chapter("index")
    ('03', 'index')
    """
    return name.partition("_")[0]
