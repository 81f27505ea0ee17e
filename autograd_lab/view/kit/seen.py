"""Control characters in a text, made visible."""

from __future__ import annotations

import re

UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tabs and ends of lines
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what switches the direction of text
    "\u2028\u2029\ufeff\ud800-\udfff]"
)


def seen(text: str) -> str:
    r"""The text with control characters as Python spells them.

    >>> print(seen("loss\x1b[2J of\n  \u202ecod.exe"))
    loss\x1b[2J of
      \u202ecod.exe
    """
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)
