"""Around the graph: the headline and lines of code."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.shapes.stroke import group, path, rect, say, short

ROW, PAD, NUMBERS = 25, 10, 48
"""Height of a line of code, above and below them, and what their numbers take; px."""
NEAR = 2
"""Between lines that are no farther apart than this, nothing is left out but an empty line or a short one."""
CODE = re.compile(r"(#.*)|(\"[^\"]*\"|'[^']*')|(\b\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?\b)|([^\W\d]\w*)|(\s+|.)")

Run = tuple[str, str]
"""A text and the classes that it is set in."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of the program: `mark` is `now`, `saved` or `bad`, and `note` says in words what it marks.

    Number 0 is none: the name of a file, above its lines.
    """

    number: int
    text: str
    mark: str = ""
    note: str = ""


def runs(x: float, y: float, parts: Iterable[Run], classes: str = "") -> str:
    """Texts one after another, as one line."""
    spans = "".join(
        f'<tspan class="{kind}">{escape(clean(text))}</tspan>' if kind else escape(clean(text)) for text, kind in parts
    )
    kind = f' class="{classes}"' if classes else ""
    return f'<text x="{short(x)}" y="{short(y)}"{kind} xml:space="preserve">{spans}</text>'


def headline(x: float, y: float, title: str, below: Sequence[Run] = (), right: tuple[float, str] | None = None) -> str:
    """The lesson of a step, what happens now below it, and at the right edge which step it is."""
    drawn = say(title, x, y, "headline") + (runs(x, y + 32, below, "sub") if below else "")
    return drawn + (say(right[1], right[0], y, "quiet end") if right else "")


def coloured(line: str) -> list[Run]:
    """A line of Python in calm colours: keywords, strings, numbers and comments.

    >>> coloured("for t in 3:")
    [('for', 'keyword'), (' t ', ''), ('in', 'keyword'), (' ', ''), ('3', 'figure'), (':', '')]
    """
    parts: list[Run] = []
    for found in CODE.finditer(line):
        comment, string, figure, name, _ = found.groups()
        reserved = name is not None and keyword.iskeyword(name)
        kind = "comment" if comment else "string" if string else "figure" if figure else "keyword" if reserved else ""
        if parts and parts[-1][1] == kind:
            parts[-1] = (parts[-1][0] + found[0], kind)
        else:
            parts.append((found[0], kind))
    return parts


def code_height(count: int) -> float:
    """How high a panel of so many lines is."""
    return count * ROW + 2 * PAD


def code(x: float, y: float, width: float, lines: Sequence[CodeLine]) -> str:
    """Lines of the program on a panel; what is marked has a tint, a bar and a word."""
    return "".join(code_rows(x, y, width, lines))


def code_rows(x: float, y: float, width: float, lines: Sequence[CodeLine]) -> Iterator[str]:
    """The panel, and then each of the lines on it, as drawings of their own."""
    yield group("code", rect("panel", x, y, width, code_height(len(lines)), 8))
    before = 0
    for index, line in enumerate(lines):
        top = y + PAD + index * ROW
        drawn = _code_line(x, top, width, line)
        if before and line.number > before + NEAR:
            drawn += path("left-out", f"M{short(x + 12)} {short(top)}h{short(width - 24)}")
        yield group("code", drawn)
        before = line.number


def _code_line(x: float, y: float, width: float, line: CodeLine) -> str:
    base = y + 0.69 * ROW
    ground = rect("row", x, y, width, ROW) + rect("edge", x, y, 4, ROW) if line.mark else ""
    note = say(line.note, x + width - 12, base, "note end")
    texts = runs(x + NUMBERS, base, coloured(line.text), "source")
    return group(
        f"code-line {line.mark}".rstrip(), ground, say(str(line.number or ""), x + 34, base, "fine end"), texts, note
    )
