"""Who holds which graphs, in the words of the command line."""

from __future__ import annotations

from autograd_lab.findings.alive import Holding
from autograd_lab.view.kit.numeral import bytes_text

MOST = 8
"""So many modules are told of."""


def held_text(holds: Holding) -> str:
    """Who holds what, as a few lines of text."""
    if not holds.alive:
        return "No graph is alive at the end."
    lines = [f"Alive at the end, {bytes_text(sum(each.nbytes for each in holds.alive))} kept for backward:"]
    for each in holds.alive:
        graphs = f"{each.graphs:,} graphs, " if each.graphs > 1 else ""
        ops = f"{each.operations:,} operation{'s' * (each.operations != 1)}"
        text = "" if each.where is None else f"    {each.where}    {each.where.text}"
        lines += [f"  {each.name}    {graphs}{ops}, {bytes_text(each.nbytes)}{text}", f"    To free it: {each.remedy}."]
    total = sum(size for _, size in holds.modules)
    if total:
        shares = [f"{name} {bytes_text(size)} ({size / total:.0%})" for name, size in holds.modules[:MOST]]
        more = f", and {len(holds.modules) - MOST} more" if len(holds.modules) > MOST else ""
        lines.append(f"Saved by modules when the last backward pass began: {', '.join(shares)}{more}.")
    return "\n".join(lines)
