"""A page that goes through the stages one by one, each card at its place, and ends with the Python that runs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape

from autograd_lab.view.compiled.graph import Places
from autograd_lab.view.compiled.picture import in_rows, part_picture, sheet_panel, stage_panel
from autograd_lab.view.compiled.told import Compilation
from autograd_lab.view.compiled.words import sheet_words, stage_words
from autograd_lab.view.font import clean
from autograd_lab.view.png import svg_size

LONGEST = 1190.0
"""A row of cards is at most about so long, px: a narrow window shows it whole."""
SMALLEST = 0.8
"""How far a picture shrinks."""
STYLE = """
body { font: 15px/1.45 "DejaVu Sans", system-ui, sans-serif; color: #1b1f24; margin: 0; background: #fff; }
nav { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 8px; padding: 10px 28px; background: #f4f6f8; }
nav button { font: inherit; padding: 4px 12px; border: 2px solid #8c959f; border-radius: 6px; background: #fff; }
nav button[aria-pressed="true"] { border-color: #005a8c; background: #e1effa; font-weight: bold; }
nav button:focus-visible { outline: 3px solid #f2b632; outline-offset: 2px; }
header { padding: 8px 28px; }
h1 { font-size: 24px; margin: 8px 0; }
ul { margin: 0 0 8px; padding: 0 0 0 20px; }
section { overflow-x: auto; }
details { padding: 0 28px 20px; }
section > svg { max-width: 100%; height: auto; }
svg text { white-space: pre; }
@media print { nav { display: none; } section[hidden] { display: block; } }
"""
SCRIPT = """
const sections = [...document.querySelectorAll("section")], nav = document.querySelector("nav");
const buttons = sections.map((section, at) => {
  const button = document.createElement("button");
  button.textContent = section.getAttribute("aria-label");
  button.onclick = () => show(at);
  nav.append(button);
  return button;
});
let now = 0;
function show(at) {
  now = Math.max(0, Math.min(at, sections.length - 1));
  sections.forEach((section, i) => { section.hidden = i !== now; });
  buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === now));
}
addEventListener("keydown", event => {
  const steps = { ArrowRight: 1, ArrowLeft: -1 };
  if (steps[event.key]) { show(now + steps[event.key]); buttons[now].focus(); event.preventDefault(); }
});
show(0);
"""
DIGEST = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{DIGEST}'"
"""Nothing but this script runs, and nothing is asked for."""


def page(told: Compilation) -> str:
    """The page, which needs nothing else; without JavaScript all stages stand below each other."""
    places = Places(told, LONGEST)
    sections = [
        _section(stage.name, part_picture([[stage_panel(stage, places)]], [stage]), stage_words(stage, places.cards))
        for stage in told.stages
    ]
    if told.sheets:
        drawn = part_picture(in_rows(list(map(sheet_panel, told.sheets)), LONGEST))
        sections.append(_section("Python", drawn, (line for sheet in told.sheets for line in sheet_words(sheet))))
    title = escape(clean(told.title))
    facts = "".join(f"<li>{escape(clean(fact))}</li>" for fact in told.facts)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{STYLE}</style>'
        f"<header><h1>{title}</h1><ul>{facts}</ul></header>"
        f'<nav aria-label="stages; the arrow keys go through them"></nav><main>{"".join(sections)}</main>'
        f"<script>{SCRIPT}</script></html>"
    )


def _section(label: str, svg: str, words: Iterable[str]) -> str:
    """A picture that shrinks with the window, as long as it can be read; then it scrolls. Below it, its words."""
    least = round(svg_size(svg)[0] * SMALLEST)
    sized = svg.replace("<svg ", f'<svg style="min-width: {least}px" ', 1)
    lines = escape("\n".join(map(clean, words)))
    said = f"<details><summary>The same in words</summary><pre>{lines}</pre></details>"
    return f'<section aria-label="{escape(clean(label))}">{sized}{said}</section>'
