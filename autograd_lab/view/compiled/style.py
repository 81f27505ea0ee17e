"""The style sheet of these pictures, in the palette of all others; what is gone is dashed and struck through, too."""

from __future__ import annotations

from functools import cache
from string import Template

from autograd_lab.view.style import LIGHT, tight

SHEET = Template("""
svg { font-size: 12.5px; }
text { font-family: 'DejaVu Sans', sans-serif; fill: $ink; }
.moment { font-size: 24px; font-weight: bold; }
.fact { font-size: 17px; }
.heading { font-size: 19px; font-weight: bold; }
.says { font-size: 15px; fill: $quiet; }
.detail, .number { font-size: 12.5px; fill: $quiet; }
.card > .shape { fill: $made; stroke: $hair; stroke-width: 1.4; }
.card.input > .shape { fill: $leaf; stroke: $leaf_line; stroke-width: 2.2; }
.card.backward > .shape { fill: $gradient_soft; stroke: $gradient; stroke-width: 1.4; }
.card.check > .shape { fill: $code_now; stroke: $ink; stroke-width: 2.4; }
.card .title { font-size: 16px; font-weight: bold; }
.card .mark { font-weight: bold; fill: $kept_line; }
.card.saved > .shape { stroke: $saved_line; stroke-width: 3; }
.card.changed > .shape, .card.loop > .shape { stroke: $kept_line; stroke-width: 3; }
.card.gone > .shape { fill: $paper; stroke: $alarm; stroke-width: 2; stroke-dasharray: 6 4; }
.card.gone .title { text-decoration: line-through; }
.card.gone .mark { fill: $alarm; }
.card .mark.end { fill: $ink; }
.card .mark.takes { fill: $quiet; font-weight: normal; }
.card.absent > .shape { fill: none; stroke: $hair; stroke-width: 1; stroke-dasharray: 2 4; }
.card.absent .title { fill: $hair; font-weight: normal; text-decoration: line-through; }
.wire > .line { fill: none; stroke: $quiet; stroke-width: 1.7; }
.wire > .head { fill: $quiet; }
.wire.backward > .line { stroke: $gradient; }
.wire.backward > .head { fill: $gradient; }
.wire.gone > .line { stroke: $hair; stroke-dasharray: 5 4; }
.code { font-family: 'DejaVu Sans Mono', monospace; font-size: 14px; }
.code.note { fill: $quiet; }
.band { fill: $code; }
.number { text-anchor: end; }
.rail { fill: none; stroke: $hair; stroke-width: 1; stroke-dasharray: 1 4; }
.bar { fill: $saved; stroke: $saved_line; stroke-width: 1.6; }
.bar.taken { fill: $kept; stroke: $kept_line; }
.bartext { font-family: 'DejaVu Sans Mono', monospace; font-size: 13px; font-weight: bold; }
""")


@cache
def style_sheet() -> str:
    """The CSS, in the light palette."""
    return tight(SHEET.substitute(LIGHT))
