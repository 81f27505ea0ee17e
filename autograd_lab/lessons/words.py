"""What a lesson says: prose in a notebook that wraps between words, with `code` and *stress*; lines elsewhere."""

from __future__ import annotations

import re
import sys
from html import escape
from typing import Literal

Mood = Literal["", "right", "not yet"]
EDGES = {"": "", "right": "var(--jp-success-color1, #2e7d32)", "not yet": "var(--jp-warn-color1, #bf5600)"}
"""The colour of the edge beside what is said. It never stands alone: the words say so, too."""


def tell(text: str, mood: Mood = "", *, lines: str = "") -> None:
    """Say something; `lines` of a program, below it, keep their places."""
    plain = "\n".join(filter(None, [text, lines]))
    if not in_notebook():
        print(plain)
        return
    from IPython.display import publish_display_data

    publish_display_data({"text/plain": plain, "text/html": as_html(text, mood, lines)})


def as_html(text: str, mood: Mood = "", lines: str = "") -> str:
    """The same as HTML. All of it is escaped: an answer's own words may be in it.

    >>> as_html("L0.F1: *write* `a < b` or x**2 + y**2")
    '<div style="margin: 4px 0"><b>L0.F1</b>: <em>write</em> <code>a &lt; b</code> or x**2 + y**2</div>'
    """
    code_or_stress = r"`([^`\n]+)`|(?<![\w*])\*([^\s*](?:[^*`\n]*[^\s*`])?)\*(?![\w*])"
    said = re.sub(code_or_stress, _marked, escape(text, quote=False)).replace("\n", "<br>")
    said = re.sub(r"^L\d+\.[A-Z]\d+", r"<b>\g<0></b>", said)
    edge = f"; padding-left: 10px; border-left: 4px solid {EDGES[mood]}" if mood else ""
    code = f"<pre>{escape(lines, quote=False)}</pre>" if lines else ""
    return f'<div style="margin: 4px 0{edge}">{said}{code}</div>'


def _marked(found: re.Match[str]) -> str:
    code, stress = found.groups()
    return f"<em>{stress}</em>" if code is None else f"<code>{code}</code>"


def in_notebook() -> bool:
    """Whether a kernel runs this, which can show more than lines of text."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")
