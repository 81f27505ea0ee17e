"""The style sheet of compilations, and the colours of it and of players: each state by shape and text first.

Recordings have a language of their own (`language.py`). Colours are Okabe and Ito's (2008), darkened for text until
they stand at 4.5 : 1 on white; a test measures it.
"""

from __future__ import annotations

import re
from functools import cache
from string import Template

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "quiet": "#57606a",
    "hair": "#8c959f",
    "leaf": "#e1effa",
    "leaf_line": "#005a8c",
    "made": "#f4f6f8",
    "saved": "#cfe6f7",
    "saved_line": "#005a8c",
    "kept": "#c5ebdd",
    "kept_line": "#00684c",
    "gradient": "#8f2470",
    "gradient_soft": "#f5dfed",
    "alarm": "#b03a00",
    "alarm_soft": "#fde0d0",
    "glow": "#f2b632",
    "code": "#f4f6f8",
    "module": "#44505c",
    "code_now": "#fdefc8",
}
"""Colours by what they are for."""

SHEET = Template("""
svg { font-size: 12px; }
text { font-family: 'Autograd Sans', system-ui, sans-serif; fill: $ink; }
.code text { font-family: 'Autograd Mono', ui-monospace, monospace; }
.bold { font-weight: 600; }
.sample { text-anchor: middle; }
.number, .note, .count { text-anchor: end; }
.shape { fill: $paper; stroke: $ink; stroke-width: 1.6; }
.halo { fill: none; stroke: $glow; stroke-width: 7; }
.title .headline { font-size: 22px; font-weight: 600; }
.title .count { font-size: 14px; fill: $quiet; }
.caption text { font-size: 17px; }
.code.now > .row { fill: $code_now; stroke: $glow; stroke-width: 1.5; }
.code text { font-size: 14px; }
.code text.number { font-size: 12px; fill: $quiet; }
.code text.note { font-family: 'Autograd Sans', system-ui, sans-serif; font-size: 12px; font-weight: 600; }
.panel { fill: $code; stroke: none; }
.legend text { font-size: 13px; }
""")
"""What stands around a compilation, and what all drawings begin with."""

MARKS = Template("""
.only > .frame { fill: none; stroke: $ink; stroke-width: 2; stroke-dasharray: 8 5; }
.only > .flag { fill: $ink; }
.only > text { fill: $paper; font-size: 12px; font-weight: 600; }
.differs > circle { fill: $paper; stroke: $ink; stroke-width: 2; }
.differs > text { font-size: 14px; font-weight: 600; }
""")
"""What differs between two pictures; other pictures do without."""

TORN = Template("""
.edge > .torn { fill: none; stroke: $alarm; stroke-width: 2.4; stroke-linejoin: round; }
""")
"""What only a compilation whose recording broke off shows."""

COURSE = Template("""
.course text { font-size: 13px; }
.course .heading { font-weight: 600; }
.course .quiet { fill: $quiet; }
.course .axis { stroke: $hair; stroke-width: 1; fill: none; }
.course .run { fill: none; stroke: $quiet; stroke-width: 1; stroke-linejoin: round; }
.course .loss .run { stroke: $ink; stroke-width: 2.2; }
.course .norm .run.named { stroke: $gradient; stroke-width: 1.8; }
.course .held .run { stroke: $saved_line; stroke-width: 2.2; }
.course .shown { fill: none; stroke: $glow; stroke-width: 5; }
""")
"""What only the course of a run shows."""

COMPILED = Template("""
.sheet { font-size: 24px; font-weight: 600; }
.fact { font-size: 17px; }
.heading { font-size: 19px; font-weight: 600; }
.says { font-size: 15px; fill: $quiet; }
.detail { font-size: 12.5px; fill: $quiet; }
.call > .shape { fill: $made; stroke: $hair; stroke-width: 1.4; }
.call.input > .shape { fill: $leaf; stroke: $leaf_line; stroke-width: 2.2; }
.call.tangent > .shape { fill: $gradient_soft; stroke: $gradient; stroke-width: 2.2; }
.call.backward > .shape { fill: $gradient_soft; stroke: $gradient; stroke-width: 1.4; }
.call.check > .shape { fill: $code_now; stroke: $ink; stroke-width: 2.4; }
.call .title { font-size: 16px; font-weight: 600; }
.call .sign { font-size: 12.5px; font-weight: 600; fill: $kept_line; }
.call.changed > .shape, .call.loop > .shape { stroke: $kept_line; stroke-width: 3; }
.call.kept > .shape { stroke: $saved_line; stroke-width: 3; }
.call.again > .shape { stroke-dasharray: 9 3; }
.call.gone > .shape { fill: $paper; stroke: $alarm; stroke-width: 2; stroke-dasharray: 6 4; }
.call.gone .title { text-decoration: line-through; }
.call .sign.gone { fill: $alarm; }
.call .sign.leaves { fill: $ink; }
.call .sign.takes { fill: $quiet; font-weight: normal; }
.call.absent > .shape { fill: $paper; fill-opacity: 0; stroke: $hair; stroke-width: 1; stroke-dasharray: 2 4; }
.call.absent .title { fill: $quiet; font-weight: normal; text-decoration: line-through; }
.wire > .under { fill: none; stroke: $glow; stroke-width: 6; }
.wire > .line { fill: none; stroke: $quiet; stroke-width: 1.7; }
.wire > .head { fill: $quiet; }
.wire.back > .line { stroke: $gradient; }
.wire.back > .head { fill: $gradient; }
.wire.gone > .line { stroke: $hair; stroke-dasharray: 5 4; }
.source { font-family: 'Autograd Mono', ui-monospace, monospace; font-size: 14px; }
.program-line .number { fill: $quiet; font-size: 12.5px; }
.program-line > .row { fill: $code; stroke: none; }
.program-line.comment .source { fill: $quiet; }
.program-line.now > .row { fill: $code_now; }
.rail > .line { fill: none; stroke: $hair; stroke-width: 1; stroke-dasharray: 1 4; }
.tenant > .shape { fill: $saved; stroke: $saved_line; stroke-width: 1.6; }
.tenant.over > .shape { fill: $kept; stroke: $kept_line; }
.tenant .title { font-family: 'Autograd Mono', ui-monospace, monospace; font-size: 13px; font-weight: 600; }
""")
"""What only compilations show."""


@cache
def style_sheet(more: Template | None = None, *, torn: bool = False) -> str:
    """The CSS, in the light palette; with `more` rules, and those for what broke off."""
    sheets = (SHEET, *([more] if more is not None else []), *[TORN] * torn)
    return tight("".join(each.substitute(LIGHT) for each in sheets))


def tight(css: str) -> str:
    """The same CSS without what only its reader needs.

    >>> tight(".call > .shape { fill: $paper; stroke: $ink; }")
    '.call > .shape{fill:$paper;stroke:$ink}'
    """
    return re.sub(r"\s*([{};])\s*", r"\1", css).replace(";}", "}").replace(": ", ":").strip()
