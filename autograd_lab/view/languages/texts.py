"""Texts that stand around pictures: those of the player, and those that Python itself puts on a page beside it.

Their pairs are in `player.json` of a language. They are looked up as a whole, with `{}` in the place of what differs.
"""

from __future__ import annotations

from typing import Any

from autograd_lab.view.languages.pairs import ENGLISH, pairs
from autograd_lab.view.languages.speaking import language

PART = "player"


def worded(text: str, *holes: object) -> str:
    """A text in the language that is spoken, with its holes filled: in order, or where `{0}` and `{1}` have them.

    >>> worded("step {} of {}", 3, 7)
    'step 3 of 7'
    """
    found = pairs(language(), PART).get(text, text)
    return found.format(*holes) if holes else found


def for_browser() -> dict[str, Any]:
    """What data for a browser have besides, so that it speaks as Python does: nothing, if that is English."""
    code = language()
    return {} if code == ENGLISH else {"language": code, "pairs": pairs(code, PART)}
