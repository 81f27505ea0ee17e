"""What a picture says in words, for those who cannot see it: the title and the description of its SVG."""

from __future__ import annotations

import re
from html import unescape


def words_of_svg(svg: str) -> tuple[str, str]:
    """Its title and its description; empty, where it has none.

    >>> words_of_svg("<svg><title>b &lt; c</title><desc>b is 3</desc></svg>")
    ('b < c', 'b is 3')
    """
    title, description = (re.search(rf"<{name}>(.*?)</{name}>", svg, re.DOTALL) for name in ("title", "desc"))
    return unescape(title[1]) if title else "", unescape(description[1]) if description else ""


def alternative_to(svg: str) -> str:
    """Both as the alternative text of an image: on one line, as attributes want it; empty, where there are none.

    >>> alternative_to("<svg><title>b is 3</title><desc>b is done.\\nTwo iterations.</desc></svg>")
    'b is 3. b is done. Two iterations.'
    """
    return " ".join(". ".join(filter(None, words_of_svg(svg))).split())
