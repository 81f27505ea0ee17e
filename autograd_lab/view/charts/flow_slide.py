"""Gradient flow as a slide, with its headline and a sentence, and as a strip of a page."""

from __future__ import annotations

from html import escape

from autograd_lab.trace.flow_table import Flow
from autograd_lab.view.charts.flow_panels import FLOW_SHEET, HEIGHT, LEFT, TOP, WIDTH, draw_flow
from autograd_lab.view.charts.flow_words import description, in_words
from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.ink import picture, words
from autograd_lab.view.kit.language import check_theme
from autograd_lab.view.kit.palette import THEMES
from autograd_lab.view.languages.texts import worded

SIZES = (32.0, 28.0, 24.0, 20.0)
"""Letters of a headline, px: the largest in which it is on one line."""


def flow_slide(flow: Flow, theme: str = "light") -> str:
    """The SVG, 1280 × 720 px. Raises ValueError for an unknown theme."""
    check_theme(theme)
    title, sentence = map(clean, in_words(flow))
    room = WIDTH - 2 * LEFT
    size = next((size for size in SIZES if text_width(title, size, bold=True) <= room), SIZES[-1])
    body = '<g class="flow">'
    body += words(fit(title, room, size, bold=True), LEFT, 62, size, "bold")
    body += words(fit(sentence, room, 18), LEFT, 96, 18, "quiet") + "</g>"
    if flow.measured:
        body += draw_flow(flow)
    colours = THEMES[theme]
    return picture(WIDTH, HEIGHT, title, description(flow), body, FLOW_SHEET.substitute(colours), colours["paper"])


def flow_strip(flow: Flow) -> str:
    """The panels for a page, light or dark as its reader wishes, as HTML; nothing of a single iteration.

    They open below their headline when one clicks on it, so that the graph stays the largest picture of the page.
    """
    if len(flow.measured) < 2:
        return ""
    light, dark = (FLOW_SHEET.substitute(THEMES[theme]) for theme in ("light", "dark"))
    top = TOP - 34
    title = worded("Gradient flow: {}", in_words(flow)[0])
    size = f'viewBox="0 {top:.0f} {WIDTH:.0f} {HEIGHT - top:.0f}" width="100%"'
    return (
        f'<details class="flow-panels"><summary>{escape(clean(title))}</summary>'
        f'<div style="overflow-x: auto" tabindex="0">'
        f'<svg {size} role="img" aria-label="{escape(clean(description(flow)))}" style="min-width: 1100px">'
        f"<style>{light}@media (prefers-color-scheme: dark) {{ {dark} }}</style>{draw_flow(flow)}</svg></div></details>"
    )
