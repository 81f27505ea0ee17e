"""Of a style sheet as much as a drawing needs."""

from __future__ import annotations

import re
from collections.abc import Container


def needed(sheet: str, drawing: str) -> str:
    """The rules of a sheet that may match something in a drawing.

    >>> needed(".box .name{fill:red}.pill,.name{fill:blue}", '<text class="name">')
    '.name{fill:blue}'
    """
    return about(sheet, {name for classes in re.findall(r'class="([^"]*)"', drawing) for name in classes.split()})


def about(sheet: str, names: Container[str]) -> str:
    """The rules of a sheet whose classes all are among some names, or in a text.

    >>> about("@media print{.box{fill:red}.pill,.name{fill:blue}}", ["name"])
    '@media print{.name{fill:blue}}'
    """

    def kept(rule: re.Match[str]) -> str:
        selectors = [rule[1]] if "(" in rule[1] else rule[1].split(",")
        apt = [each.strip() for each in selectors if all(name in names for name in re.findall(r"\.([\w-]+)", each))]
        return ",".join(apt) + rule[2] if apt else ""

    return re.sub(r"([^{}]+)(\{[^{}]*\})", kept, sheet)
