"""The style sheet of cards, pockets, wires, capsules, tiles, headline, code, timeline and legend.

What is drawn has classes alone, so one drawing serves a PNG, an SVG and a page: kind and state of a card are two words
on its group, and a page that changes the words, or the theme, draws nothing anew. Solid is what happens, hollow what
has been delivered, dashed what is yet to come or never will.
"""

from __future__ import annotations

from functools import cache
from string import Template

from autograd_lab.view.kit.palette import DARK, FORCED, LIGHT, MORE_CONTRAST, STEPS, THEMES
from autograd_lab.view.kit.style import tight

TYPE = Template("""
text { font-family: 'Autograd Sans', system-ui, sans-serif; font-size: 15px; fill: $ink; white-space: pre; }
.headline { font-size: 32px; font-weight: 600; }
.sub { font-size: 18px; fill: $quiet; }
.thumb { font-size: 24px; font-weight: 600; }
.name, .name-of { font-size: 20px; font-weight: 600; }
.value { font-size: 20px; }
.many { font-size: 17px; }
.partial, .arrived { font-size: 17px; font-weight: 600; fill: $plus; }
.total { font-size: 20px; font-weight: 600; fill: $plus; }
.formula { fill: $quiet; }
.word { font-weight: 600; fill: $plus; }
.note { font-size: 13.5px; font-weight: 600; }
.fine { font-size: 12.5px; fill: $quiet; }
.quiet { fill: $quiet; }
.strong { font-weight: 600; fill: $ink; }
.end { text-anchor: end; }
.mid { text-anchor: middle; }
text.plus { fill: $plus; }
text.minus { fill: $minus; }
.alarm { fill: $alarm; }
.bold { font-weight: 600; }
.paper { fill: $paper; }
.torn-edge { fill: none; stroke: $alarm; stroke-width: 2; stroke-linejoin: round; }
text.zero { fill: $quiet; }
.halo { stroke: $paper; stroke-width: 5; stroke-linejoin: round; paint-order: stroke; }
.strike { fill: none; stroke: $quiet; stroke-width: 1.7; }
.source { font-family: 'Autograd Mono', ui-monospace, Menlo, Consolas, monospace; }
.keyword { fill: $keyword; } .string { fill: $string; } .figure { fill: $number; } .comment { fill: $comment; }
tspan.plus { font-weight: 600; fill: $plus; } tspan.minus { font-weight: 600; fill: $minus; }
tspan.saved { font-weight: 600; fill: $saved_text; } tspan.alarm { font-weight: 600; fill: $alarm; }
""")
"""Texts by what they say."""

CARDS = Template("""
.card > .shape, .card > .second { fill: $paper; stroke: $hair; stroke-width: 1.5; }
.card > .glow { display: none; fill: none; stroke: $now; stroke-width: 3.5; }
.card > .second { fill: none; stroke-width: 1.25; }
.card.waiting > .shape { stroke: $plus; stroke-width: 2; stroke-dasharray: 7 4; }
.card.ready > .shape { stroke: $plus; stroke-width: 2.5; }
.card.running > .shape { fill: $plus; stroke: $plus; stroke-width: 2.5; }
.card.running > .glow { display: inline; }
.card.op.running > text, .card.module.running > text { fill: $plus_on; }
.card.done > .shape { fill: $plus_soft; stroke: $plus_mid; stroke-width: 1.25; }
.card.done > .second { stroke: $plus_mid; }
.card.released > .shape { stroke-dasharray: 2 4; }
.card.released > text { fill: $quiet; }
.card.failed > .shape { fill: $alarm_soft; stroke: $alarm; stroke-width: 3.5; }
.card.failed > .word, .card.failed > .partial, .card.stale > .word { fill: $alarm; }
.card.stale > .shape { stroke: $alarm; stroke-width: 2.5; stroke-dasharray: 9 4 2 4; }
.card.constant > .shape { stroke-dasharray: 5 4; }
.card.leaf > .shape { fill: $leaf; stroke: $leaf_line; stroke-width: 2.25; }
.card.leaf.running > text { fill: $ink; }
.card.leaf.running > .word, .card.leaf.running > .total, .card.leaf.running > .partial { fill: $plus; }
.card.leaf > .drawer { fill: $paper; }
.card.leaf > .edge { fill: none; stroke: $leaf_line; stroke-width: 1.25; stroke-dasharray: 4 4; }
.card.leaf > .rim { fill: none; stroke: $leaf_line; stroke-width: 2.25; }
.card.leaf.set > .drawer { fill: $plus_soft; }
.card.leaf.set > .edge { stroke-dasharray: none; }
.card.module > .head { fill: none; }
.card.module.done > .shape { fill: $paper; }
.card.module.done > .head { fill: $plus_soft; }
.card.module.done > .rim { stroke: $plus_mid; }
.card.module > .rim { display: none; fill: none; stroke-width: 1.25; }
.card.module.done > .rim { display: inline; }
.card > .sheet { fill: $paper; stroke: $hair; stroke-width: 1.25; }
.card.done > .sheet { stroke: $plus_mid; }
.layer > .shape { fill: $plus_soft; stroke: $plus; stroke-width: 1.75; stroke-dasharray: 2 4; }
.shared-mark > .shape { fill: $leaf; stroke: $leaf_line; stroke-width: 2; }
.shared-mark > text { font-size: 12.5px; font-weight: 600; text-anchor: middle; fill: $saved_text; }
.skip > .line, .skip > .shape { fill: none; stroke: $quiet; stroke-width: 1.75; }
.skip > .dot { fill: $quiet; }
.running > .inside > .line, .running > .inside > .shape { stroke: $plus_on; }
.running > .inside > .dot { fill: $plus_on; }
.badge > .shape { fill: $ink; }
.badge > text { font-size: 12.5px; font-weight: 600; text-anchor: middle; fill: $paper; }
.pocket > .shape { fill: $saved; stroke: $saved_line; stroke-width: 1.25; }
.pocket > text { font-size: 12.5px; fill: $saved_text; }
.pocket > .dot { fill: $quiet; }
.pocket > .pin { fill: $saved_line; stroke: $saved_line; stroke-width: 2; }
.pocket > .parcel { fill: none; stroke: $saved_line; stroke-width: 1.25; }
.pocket.kept > .shape { stroke-width: 2.5; }
.pocket.freed > .shape { fill: $paper; stroke: $hair; stroke-dasharray: 3 3; }
.pocket.freed > text { fill: $quiet; }
.card.op.earlier, .card.module.earlier { opacity: 0.6; }
.pocket.unpacked > .shape { stroke-width: 2; stroke-dasharray: 0 3.4; stroke-linecap: round; }
.pocket.packed > .shape { fill: $paper; stroke-width: 1.5; stroke-dasharray: 1.5 3; }
.pocket.stale > .shape { fill: $alarm_soft; stroke: $alarm; stroke-width: 2; stroke-linejoin: round; }
.pocket.stale > text { font-weight: 600; fill: $alarm; }
.tag > .shape { fill: $paper; stroke: $hair; stroke-width: 1.25; stroke-dasharray: 4 3; }
.tag > text { text-anchor: middle; fill: $quiet; }
.tag > .stub { fill: none; stroke: $hair; stroke-width: 1.25; stroke-dasharray: 4 3; }
.quiet-chip > .shape { fill: $paper; stroke: $hair; stroke-width: 1.25; stroke-dasharray: 5 4; }
.quiet-chip > text { font-size: 13.5px; fill: $quiet; }
.part > .expected { fill: none; stroke: $plus_mid; stroke-dasharray: 3 3; }
.part > .plus { fill: $plus; }
.part > .minus { fill: $paper; stroke: $minus; stroke-width: 1.8; }
.part > .odd { fill: $alarm; }
.track { fill: $faint; }
.track.done { fill: $plus; }
.card.coming > .shape, .card.coming > .rim { stroke: $faint; stroke-dasharray: none; fill: $paper; }
.card.coming > .edge { stroke: $faint; stroke-dasharray: none; }
.card.coming > .part > .expected { stroke: $faint; }
.card.coming > text { fill: $hair; }
.card.coming > .drawer, .card.coming > .head { fill: $paper; }
.card.partly > .shape { stroke: $plus; stroke-width: 2.5; }
.card.module > .head { fill: $mist; }
.card.module.running > .shape { fill: $paper; }
.card.module.running > .head { fill: $plus; }
.card.module.running > .below { fill: $plus; }
.card.module.running > .count { fill: $quiet; }
.base { fill: none; stroke: $leaf_line; stroke-width: 1; }
.bar.weight { fill: $leaf_line; }
.bar.plus { fill: $plus; }
.lane > .shape { fill: $leaf; fill-opacity: 0.8; stroke: $leaf_line; stroke-width: 2.25; }
""")

WIRES = Template("""
.wire > path { fill: none; stroke-linejoin: round; }
.wire > .line { stroke: $hair; stroke-width: 2; }
.wire > .tip { fill: $hair; }
.wire.coming > .line { stroke: $faint; }
.wire.waiting > .line { stroke: $plus; stroke-dasharray: 7 5; }
.wire.nothing > .line { stroke-dasharray: 5 4; }
.wire.blocked > .line { stroke: $alarm; stroke-width: 2.75; stroke-dasharray: 10 5 2 5; }
.wire.shared > .line, .wire.shared > .twin { stroke: $ink; }
.cycle > .shape { fill: $leaf; stroke: $leaf_line; stroke-width: 2; }
.cycle > .moved { fill: $leaf_line; font-size: 12.5px; font-weight: 600; }
.wire.update > .line { stroke: $leaf_line; stroke-width: 4; }
.wire.update > .tip { fill: $leaf_line; }
.wire > .ribbon { stroke: $plus; }
.wire > .core { stroke: $paper; }
.wire.sent > .tip { fill: $plus; }
.wire.minus > .ribbon { stroke: $minus; }
.wire.minus > .tip { fill: $minus; }
.wire.zero > .ribbon { stroke: $quiet; }
.wire.zero > .tip { fill: $quiet; }
.wire.odd > .ribbon { stroke: $alarm; }
.wire.odd > .tip { fill: $alarm; }
.cross > .shape { fill: $alarm; }
.cross > path { fill: none; stroke: $paper; stroke-width: 2.5; stroke-linecap: round; }
.cut > path { fill: none; stroke: $ink; stroke-width: 2.5; }
.hook > .shape { fill: $paper; stroke: $ink; stroke-width: 1.75; }
.hook > text { font-weight: 600; text-anchor: middle; }
.capsule > .shape { fill: $paper; stroke: $plus; stroke-width: 1.75; }
.capsule > text { font-weight: 600; text-anchor: middle; fill: $plus; }
.capsule.handed > .shape { stroke-dasharray: 4 3; stroke-width: 1.5; }
.earlier > .wire { opacity: 0.45; }
.capsule.minus > .shape { stroke: $minus; }
.capsule.minus > text { fill: $minus; }
.capsule.zero > .shape { stroke: $quiet; }
.capsule.zero > text { fill: $quiet; }
.capsule.odd > .shape { stroke: $alarm; }
.capsule.odd > text { fill: $alarm; }
.capsule.flying > .shape { fill: $plus; stroke: $paper; stroke-width: 6; paint-order: stroke; }
.capsule.flying > text { font-size: 17px; fill: $plus_on; }
.capsule.flying.minus > .shape { fill: $minus; }
.capsule.flying.zero > .shape { fill: $quiet; }
.capsule.flying.odd > .shape { fill: $alarm; }
.capsule.flying.minus > text, .capsule.flying.zero > text, .capsule.flying.odd > text { fill: $paper; }
""")

PANELS = Template("""
.code > .panel { fill: $mist; }
.code .row { fill: none; }
.code .edge { fill: none; }
.code .now > .row { fill: $now_soft; } .code .now > .edge { fill: $now; }
.code .saved > .row { fill: $saved; } .code .saved > .edge { fill: $saved_line; }
.code .bad > .row { fill: $alarm_soft; } .code .bad > .edge { fill: $alarm; }
.code .left-out { fill: none; stroke: $quiet; stroke-width: 1.5; stroke-dasharray: 2 5; }
.code .saved > .note { fill: $saved_text; } .code .bad > .note { fill: $alarm; }
.band > .shape { fill: $mist; }
.band > text { font-size: 13.5px; font-weight: 600; fill: $quiet; }
.band.forward > .shape { fill: $leaf; } .band.forward > text { fill: $saved_text; }
.band.backward > .shape { fill: $plus_soft; } .band.backward > text { fill: $plus; }
.band.failed > .shape { fill: $alarm_soft; } .band.failed > text { fill: $alarm; }
.rail { fill: $faint; }
.rail.past { fill: $plus; }
.tick { fill: $plus; }
.tick.forward { fill: $leaf_line; }
.tick.failed { fill: $alarm; }
.playhead { fill: $now; stroke: $ink; stroke-width: 2; }
.bytes { fill: $saved; stroke: none; }
.bytes-edge { fill: none; stroke: $saved_line; stroke-width: 1.75; }
.below { font-size: 13.5px; fill: $quiet; }
.source.said { font-size: 13px; }
.versions > .stem { fill: none; stroke: $alarm; stroke-width: 2; }
.versions > .plain { font-weight: 400; }
.saved-then { font-weight: 600; fill: $saved_text; }
.saved-now { font-weight: 600; fill: $alarm; }
.spark > .panel { fill: $mist; }
.spark > .course { fill: none; stroke: $ink; stroke-width: 2; stroke-linejoin: round; }
.spark > .dot { fill: $ink; }
.spark.plus > .course { stroke: $plus; }
.spark.plus > .dot { fill: $plus; }
.note.plus, .spark.plus > .now-word { fill: $plus; }
.key > text { font-size: 13.5px; fill: $quiet; }
.rule { fill: $faint; }
""")

TILES = Template("""
.tile { stroke-linejoin: round; }
.tile > path { fill: currentColor; stroke: currentColor; }
.tile > .frame { fill: $paper; stroke: $hair; stroke-width: 1; }
.tile > .lost { color: $alarm; }
.tile > .endless { color: $mist; }
.tile > .arrow { fill: none; stroke: $quiet; stroke-linecap: round; }
.tile > .sign { fill: none; stroke: $paper; stroke-linecap: round; }
.tile > .low, .tile > .high { fill: none; stroke: $ink; stroke-opacity: 0.55; }
.tile > .high { stroke: $paper; stroke-opacity: 0.9; }
.tile > .tiny { display: none; }
.tile > .dots { fill: none; stroke: $quiet; stroke-linecap: round; }
.tile > .rails { fill: none; stroke: $ink; stroke-width: 2.5; }
""")

OPENED = Template("""
.opened > .shape { fill: $mist; stroke: $hair; stroke-width: 1.25; stroke-dasharray: 6 4; }
""")
"""What only a page shows."""

LEVELS = Template(
    "\n".join(
        f".{kind} > .{sign}{step} {{ color: ${scale}_{side}{step}; }}"
        for kind, scale in (("values", "value"), ("grads", "grad"))
        for sign, side in (("p", "plus"), ("n", "minus"))
        for step in range(1, STEPS + 1)
    )
)
"""The two scales, level by level."""
TINY_SIGNS = ".tile > .tiny { display: inline; }"
"""Without hues, only the marks tell signs apart, even in small cells."""
SHADES = "".join(
    f".tile > :is(.p{step}, .n{step}) {{ color: CanvasText; opacity: {step / STEPS:g}; }}"
    for step in range(1, STEPS + 1)
)
"""With forced colours sizes are shades of the one ink."""

SHEETS = (TYPE, CARDS, WIRES, PANELS, TILES, LEVELS)


def check_theme(theme: str) -> None:
    """Raises ValueError for a theme that there is not."""
    if theme not in THEMES:
        raise ValueError(f"theme should be one of {', '.join(THEMES)}, not {theme!r}")


@cache
def language_sheet(theme: str = "light") -> str:
    """The rules in the colours of one theme, for pictures that stand alone."""
    rules = "".join(sheet.substitute(THEMES[theme]) for sheet in SHEETS)
    return _small(rules + TINY_SIGNS * (theme == "grey"))


@cache
def page_language() -> str:
    """The rules in colours that a page changes: by `data-theme`, for more contrast, for forced colours, for print."""
    rules = "".join(sheet.substitute({name: f"var(--{name})" for name in LIGHT}) for sheet in (*SHEETS, OPENED))
    light, dark = ":host, :root", ':host([data-theme="dark"])'
    more = MORE_CONTRAST
    return _small(
        f"{light} {{ {_variables(LIGHT)} }}\n{dark} {{ {_variables(DARK)} }}\n"
        f"@media (prefers-contrast: more) {{ {light} {{ {_variables(more['light'])} }} "
        f"{dark} {{ {_variables(more['dark'])} }} }}\n{rules}"
        f"@media print {{ {dark} {{ {_variables(LIGHT)} }} {TINY_SIGNS} }}\n"
        f"@media (forced-colors: active) {{ {light}, {dark} {{ {_variables(FORCED)} }} {TINY_SIGNS} {SHADES} }}\n"
    )


def _small(css: str) -> str:
    return tight(css).replace(" > ", ">").replace(", ", ",")


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())
