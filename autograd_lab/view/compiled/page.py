"""A page that goes through the stages one by one, each card at its place, and ends with the Python that runs."""

from __future__ import annotations

from html import escape

from autograd_lab.view.compiled.picture import picture
from autograd_lab.view.compiled.told import Compilation
from autograd_lab.view.font import clean

STYLE = """
body { font: 16px/1.5 "DejaVu Sans", system-ui, sans-serif; color: #1b1f24; margin: 0; background: #fff; }
nav { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 8px; padding: 10px 28px; background: #f4f6f8; }
nav button { font: inherit; padding: 4px 12px; border: 2px solid #8c959f; border-radius: 6px; background: #fff; }
nav button[aria-pressed="true"] { border-color: #005a8c; background: #e1effa; font-weight: bold; }
nav button:focus-visible { outline: 3px solid #f2b632; outline-offset: 2px; }
section { overflow-x: auto; }
section > svg { max-width: 100%; height: auto; }
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


def page(told: Compilation) -> str:
    """The page, which needs nothing else; without JavaScript all stages stand below each other."""
    sections = [
        _section(f"{number}. {stage.name}", picture(told, [stage], sheets=False))
        for number, stage in enumerate(told.stages)
    ]
    sections.append(_section("Python", picture(told, [])))
    title = escape(clean(told.title))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        f'<nav aria-label="stages; the arrow keys go through them"></nav><main>{"".join(sections)}</main>'
        f"<script>{SCRIPT}</script></html>"
    )


def _section(label: str, svg: str) -> str:
    return f'<section aria-label="{escape(clean(label))}">{svg}</section>'
