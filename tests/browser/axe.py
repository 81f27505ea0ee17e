"""What axe has to complain of on a page.

It tries every rule either way. That it describes in full only what it complains of takes a third of the time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

AXE = Path(__file__).parents[2] / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async rules => {
  const found = await axe.run(document, {resultTypes: ["violations"], ...(rules && {runOnly: rules})});
  if (!found.passes.length) throw new Error("axe tried nothing");
  return found.violations;
}"""

needs_axe = pytest.mark.skipif(not AXE.exists(), reason="npm ci in widgets brings axe")


def complaints(page: Any, rules: list[str] | None = RULES) -> list[tuple[str, list[str]]]:
    """Rules that the page breaks, of these sets or of all, and the parts that break them. Its CSP must be bypassed."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in page.evaluate(RUN, rules)]
