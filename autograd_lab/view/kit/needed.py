"""Of a style sheet as much as a drawing needs."""

from __future__ import annotations

import re


def needed(sheet: str, drawing: str) -> str:
    """The rules of a sheet that may match something in a drawing.

    >>> needed(".box .name{fill:red}.pill,.name{fill:blue}", '<text class="name">')
    '.name{fill:blue}'
    """
    names = {name for classes in re.findall(r'class="([^"]*)"', drawing) for name in classes.split()}
    kept = []
    for selectors, body in re.findall(r"([^{}]+)(\{[^{}]*\})", sheet):
        apt = [each.strip() for each in selectors.split(",") if names.issuperset(re.findall(r"\.([\w-]+)", each))]
        kept += [",".join(apt) + body] if apt else []
    return "".join(kept)
