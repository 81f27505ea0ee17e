"""The cells of a notebook in another language, and which lessons a language has."""

from __future__ import annotations

import re
from typing import Any

from autograd_lab.lessons.cell_texts import code_said, prose_said
from autograd_lab.lessons.wording import PART
from autograd_lab.view.languages.pairs import ENGLISH, chapters, languages
from autograd_lab.view.languages.speaking import language

WORLD = "torch = world()"
LINK = re.compile(r"\]\((?=(\w+)\.ipynb\))")
"""What stands before a link to another notebook."""


def translations(name: str) -> list[str]:
    """The languages that a notebook such as `03_backward` is translated to."""
    return [code for code in languages() if code != ENGLISH and _chapter(name) in chapters(code, PART)]


def translate(cell: Any) -> None:
    """Have a cell speak the language that is spoken; nothing happens to one of an English notebook."""
    if language() == ENGLISH:
        return
    if cell.cell_type == "code":
        cell.source = code_said(cell.source).replace(WORLD, f'torch = world(language="{language()}")')
    else:
        cell.source = LINK.sub(_to, prose_said(cell.source))


def _to(link: re.Match[str]) -> str:
    """The way to a notebook: one that is not translated is in the folder above."""
    return link[0] + ("" if language() in translations(link[1]) else "../")


def _chapter(name: str) -> str:
    """
    >>> _chapter("03_backward"), _chapter("index")
    ('03', 'index')
    """
    return name.partition("_")[0]
