"""The pages of a vote in the language that is spoken: their texts have pairs where those of the player have them."""

from __future__ import annotations

import json
import re

from autograd_lab.view.languages.speaking import language
from autograd_lab.view.languages.texts import for_browser, worded

TEXT = re.compile(r'(>|\b(?:alt|title|aria-label)=")(\s*)(?=[^<>"]*[^\W\d_])([^<>"]*[^<>"\s])')
"""A text or a label of a page, after what stands before it."""


def in_language(page: str) -> str:
    """A page that is written in English."""
    said = TEXT.sub(lambda text: f"{text[1]}{text[2]}{worded(text[3])}", page)
    return said.replace('lang="en"', f'lang="{language()}"', 1)


def script_of_pairs() -> str:
    """What the scripts of the pages look their texts up in."""
    return f"export default {json.dumps(for_browser().get('pairs', {}), ensure_ascii=False)};"
