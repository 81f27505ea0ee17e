"""The palette and the style sheet: each state by shape and text first, by colour second.

Colours are Okabe and Ito's (2008), darkened for text until they stand at 4.5 : 1 on white; a test measures it.
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
.mono, .one, .many, .code text { font-family: 'Autograd Mono', ui-monospace, monospace; }
.bold, .name, .symbol, .version { font-weight: 600; }
.name { font-size: 16px; }
.symbol { font-size: 21px; }
.one { font-size: 15px; }
.many { font-size: 13px; }
.small { fill: $quiet; }
.pill text, .dock text, .chip text, .version, .sample { text-anchor: middle; }
.end, .number, .note, .count { text-anchor: end; }
.shape { fill: $paper; stroke: $ink; stroke-width: 1.6; }
.halo { fill: none; stroke: $glow; stroke-width: 7; }
.box > .shape { fill: $made; stroke: $hair; stroke-width: 1.4; }
.box.leaf > .shape { fill: $leaf; stroke: $leaf_line; stroke-width: 2.2; }
.box.no-grad > .shape { fill: $paper; stroke: $quiet; stroke-width: 1.4; stroke-dasharray: 5 4; }
.box.overwritten > .shape { fill: $paper; stroke: $hair; stroke-dasharray: 2 3; }
.box.overwritten text { fill: $quiet; text-decoration: line-through; }
.box.overwritten text.version { fill: $paper; text-decoration: none; }
.box.shout .value, .grad.shout .value { fill: $alarm; font-weight: 600; }
.badge { fill: $ink; }
text.version { fill: $paper; font-size: 11px; }
.pill > .shape { stroke-width: 2; }
.pill.unrecorded > .shape { stroke: $quiet; stroke-dasharray: 5 4; stroke-width: 1.4; }
.pill.unrecorded text { fill: $quiet; }
.pill.waiting > .shape { stroke: $gradient; stroke-dasharray: 7 3; }
.pill.ready > .shape { stroke: $gradient; stroke-width: 2.6; }
.pill.visited > .shape { fill: $gradient; stroke: $gradient; stroke-width: 3; }
.pill.visited text { fill: $paper; }
.pill.evaluated > .shape { fill: $gradient_soft; stroke: $gradient; }
.pill.released > .shape { stroke: $hair; stroke-dasharray: 1 4; }
.pill.stale > .shape { stroke: $alarm; stroke-width: 3; }
.pill.failed > .shape { fill: $alarm_soft; stroke: $alarm; stroke-width: 4; }
.pill.failed text { fill: $ink; }
.slot > .tab { fill: $saved; stroke: $saved_line; stroke-width: 1.5; }
.slot > .torn { fill: $alarm_soft; stroke: $alarm; stroke-width: 2; }
.slot > .pin { fill: $kept_line; }
.slot.retained > .tab { fill: $kept; stroke: $kept_line; stroke-width: 2.6; }
.slot.packed > .tab { fill: $paper; stroke-dasharray: 1 3; stroke-width: 2; }
.slot.packed text { fill: $saved_line; }
.slot.freed > .tab { fill: none; stroke: $hair; stroke-dasharray: 3 3; }
.slot.freed text { fill: $quiet; }
.slot.stale text { fill: $alarm; font-weight: 600; }
.flow > .halo { fill: $code_now; stroke: none; }
.flow text { fill: $gradient; }
.dock > .shape { fill: $paper; stroke: $hair; stroke-width: 1.2; }
.dock.waiting > .shape { stroke: $gradient; stroke-dasharray: 7 3; }
.dock.ready > .shape { stroke: $gradient; stroke-width: 2; }
.dock.visited > .shape { fill: $gradient; stroke: $gradient; }
.dock.evaluated > .shape { fill: $gradient_soft; stroke: $gradient; }
.dock text { fill: $quiet; }
.dock text.flow { fill: $gradient; }
.dock.visited text, .dock.visited text.flow { fill: $paper; }
.grad > .shape { stroke: $gradient; stroke-width: 1.4; }
.grad.none > .shape { fill: $paper; stroke-dasharray: 3 3; }
.grad.set > .shape { fill: $gradient_soft; stroke-width: 2; }
.grad .title { fill: $gradient; font-weight: 600; }
.grad.none .value { fill: $quiet; font-style: italic; }
.chip > .shape { fill: $paper; stroke: $hair; stroke-width: 1; }
.chip text { font-size: 13px; }
.chip.plain > .shape { stroke: $quiet; stroke-dasharray: 3 2; }
.chip.docked > .shape { fill: $leaf; stroke: $leaf_line; stroke-dasharray: none; }
.chip.outside > .shape { fill: $made; }
.chip.docked.sent > .shape, .chip.outside.sent > .shape { stroke: $gradient; stroke-width: 2.4; }
.link > .line { fill: none; stroke: $quiet; stroke-width: 1.8; }
.link > .fore { fill: $quiet; }
.link > .back { fill: $gradient; }
.link.cut > .line { stroke: $hair; stroke-dasharray: 5 4; stroke-width: 1.5; }
.link.cut > .fore { fill: $hair; }
.link.sent > .line { stroke: $gradient; stroke-width: 3; }
.link > .under { fill: none; stroke: $glow; stroke-width: 10; }
.link.stale > .fore { fill: $alarm; }
.link.stale > .line { stroke: $alarm; stroke-dasharray: 9 4 2 4; stroke-width: 2.4; }
.link text { fill: $gradient; font-weight: 600; }
.link text { stroke: $paper; stroke-width: 4; paint-order: stroke; }
.link text.flowing { fill: $quiet; font-weight: normal; }
.fold > .shape { stroke-width: 1.6; }
.fold.evaluated > .shape { fill: $gradient_soft; stroke: $gradient; }
.fold > .sheet { fill: $paper; stroke: $hair; stroke-width: 1.2; }
.fold.stale > .shape { stroke: $alarm; stroke-width: 3; }
.fold.failed > .shape { fill: $alarm_soft; stroke: $alarm; stroke-width: 4; }
.inset > .shape { stroke: $module; stroke-width: 3; }
.module > .shape { fill: $module; stroke: none; }
.module > .pole { fill: none; stroke: $module; stroke-width: 2; }
.module text { fill: $paper; }
.title .headline { font-size: 22px; font-weight: 600; }
.title .count { font-size: 14px; fill: $quiet; }
.caption text { font-size: 17px; }
.code.now > .row { fill: $code_now; }
.code.saved > .row { fill: $saved; }
.code.overwritten > .row, .code.freed > .row { fill: $alarm_soft; }
.code text { font-size: 14px; }
.code text.number { font-size: 12px; fill: $quiet; }
.code text.note { font-family: 'Autograd Sans', system-ui, sans-serif; font-size: 12px; font-weight: 600; }
.code.overwritten text.note, .code.freed text.note { fill: $alarm; }
.heat { fill: none; stroke: $hair; stroke-width: 1; }
.code.now > .row { stroke: $glow; stroke-width: 1.5; }
.legend .grad text { font-size: 11px; fill: $gradient; }
.panel { fill: $code; stroke: none; }
.legend text { font-size: 13px; }
.cells { fill: none; }
.h0 { stroke: #f7fbff; } .h1 { stroke: #deebf7; } .h2 { stroke: #c6dbef; }
.h3 { stroke: #9ecae1; } .h4 { stroke: #6baed6; } .h5 { stroke: #4292c6; }
.h6 { stroke: #2171b5; } .h7 { stroke: #08519c; } .h8 { stroke: #08306b; } .hx { stroke: $alarm; }
""")

MARKS = Template("""
.only > .frame { fill: none; stroke: $ink; stroke-width: 2; stroke-dasharray: 8 5; }
.only > .flag { fill: $ink; }
.only > text { fill: $paper; font-weight: 600; }
.differs > circle { fill: $paper; stroke: $ink; stroke-width: 2; }
.differs > text { font-weight: 600; }
""")
"""What differs between two pictures; other pictures do without."""

TORN = Template("""
.edge > .torn { fill: none; stroke: $alarm; stroke-width: 2.4; stroke-linejoin: round; }
""")
"""What only a recording that broke off shows."""

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
def style_sheet(more: Template | None = None, *, torn: bool = False, course: bool = False) -> str:
    """The CSS, in the light palette; with `more` rules, and those for broken recordings and courses if it has one."""
    sheets = (SHEET, *([more] if more is not None else []), *[TORN] * torn, *[COURSE] * course)
    return tight("".join(each.substitute(LIGHT) for each in sheets))


def tight(css: str) -> str:
    """The same CSS without what only its reader needs.

    >>> tight(".box > .shape { fill: $paper; stroke: $ink; }")
    '.box > .shape{fill:$paper;stroke:$ink}'
    """
    return re.sub(r"\s*([{};])\s*", r"\1", css).replace(";}", "}").replace(": ", ":").strip()
