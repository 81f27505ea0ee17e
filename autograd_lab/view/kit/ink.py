"""Shapes and words of pictures that are no graphs: charts and lanes, in the project's colours and fonts."""

from __future__ import annotations

from functools import cache
from html import escape
from string import Template

from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.style import LIGHT

INK_SHEET = Template("""
text { font-family: 'Autograd Sans', system-ui, sans-serif; fill: $ink; }
.bold { font-weight: 600; }
.quiet { fill: $quiet; }
.paper { fill: $paper; }
.alarm { fill: $alarm; }
.frame { fill: none; stroke: $hair; stroke-width: 1; }
.grid { stroke: $hair; stroke-width: 1; stroke-dasharray: 2 5; }
.band.forward { fill: $leaf; }
.band.backward { fill: $gradient_soft; }
.band.again { fill: $kept; stroke: $kept_line; stroke-width: 1; stroke-dasharray: 5 3; }
.held { fill: none; stroke: $ink; stroke-width: 3; stroke-linejoin: round; }
.dot { fill: $ink; }
.tab { fill: $saved; stroke: $saved_line; stroke-width: 1; }
.tab.elsewhere { fill: $paper; stroke-dasharray: 2 2; }
.bar { fill: $saved; stroke: $saved_line; stroke-width: 1; }
.bar.lost { fill: $alarm_soft; stroke: $alarm; }
.bar.coarse { fill: $code_now; stroke: $glow; }
.limit { stroke: $alarm; stroke-width: 2; stroke-dasharray: 7 4; }
.lane { fill: $made; }
.pill { fill: $paper; stroke: $ink; stroke-width: 1.8; }
.pill.backward { fill: $gradient_soft; stroke: $gradient; }
.meeting { fill: $code_now; stroke: $glow; stroke-width: 2; }
.way { stroke: $ink; stroke-width: 2; }
""")


@cache
def ink_sheet() -> str:
    """The CSS of these pictures."""
    return INK_SHEET.substitute(LIGHT).strip()


def words(text: str, x: float, y: float, size: float = 18, classes: str = "", anchor: str = "start") -> str:
    """One line of text, escaped."""
    kind = f' class="{classes}"' if classes else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}"{kind} xml:space="preserve">'
        f"{escape(clean(text))}</text>"
    )


def box(x: float, y: float, width: float, height: float, classes: str, radius: float = 0) -> str:
    """A rectangle."""
    return (
        f'<rect class="{classes}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" '
        f'rx="{radius:g}"/>'
    )


def line(x0: float, y0: float, x1: float, y1: float, classes: str) -> str:
    """A straight line."""
    return f'<line class="{classes}" x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}"/>'


def sheet(width: float, height: float, title: str, said: str, body: str) -> str:
    """A whole picture, with a title and a description for whoever cannot see it."""
    return picture(width, height, title, said, body, ink_sheet(), LIGHT["paper"])


def picture(width: float, height: float, title: str, said: str, body: str, style: str, paper: str) -> str:
    """The same in a style of its own."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img"><title>{escape(clean(title))}</title>'
        f"<desc>{escape(clean(said))}</desc><style>{style}</style>"
        f'<rect width="100%" height="100%" fill="{paper}"/>{body}</svg>'
    )
