"""Who holds which graphs, in the words of the command line."""

from __future__ import annotations

from autograd_lab.findings.alive import Holding
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.languages.texts import worded

MOST = 8
"""So many modules are told of."""


def held_text(holds: Holding) -> str:
    """Who holds what, as a few lines of text."""
    if not holds.alive:
        return worded("No graph is alive at the end.")
    lines = [worded("Alive at the end, {} kept for backward:", bytes_text(sum(each.nbytes for each in holds.alive)))]
    for each in holds.alive:
        graphs = worded("{} graphs, ", f"{each.graphs:,}") if each.graphs > 1 else ""
        ops = worded("1 operation") if each.operations == 1 else worded("{} operations", f"{each.operations:,}")
        text = "" if each.where is None else f"    {each.where}    {each.where.text}"
        saved = f", {bytes_text(each.nbytes)}" if each.nbytes else ""
        lines.append(f"  {each.name}    {graphs}{ops}{saved}{text}")
        lines.append(f"    {worded('To free it: {}.', translated(each.remedy))}")
    total = sum(size for _, size in holds.modules)
    if total:
        shares = [f"{name} {bytes_text(size)} ({size / total:.0%})" for name, size in holds.modules[:MOST]]
        shares += [worded("and {} more", len(holds.modules) - MOST)] if len(holds.modules) > MOST else []
        lines.append(worded("Saved by modules when the last backward pass began: {}.", ", ".join(shares)))
    return "\n".join(lines)
