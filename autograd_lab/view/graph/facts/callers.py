"""What a call of a module is to its caller: `a` of `a = encoder(anchor)`, or `anchor` where its result has no name.

Told only of a module that is called several times, where these words tell its calls apart.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from autograd_lab.events import Where
from autograd_lab.view.graph.facts.call import Call

LONG = 14
"""Characters that such a word may have."""


def callers_of(calls: Sequence[Call]) -> dict[str, str]:
    """The caller's word for each op in such a call."""
    alike: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.parent is None:
            alike[call.name].append(call)
    found: dict[str, str] = {}
    for group in alike.values():
        sides = zip(*(_sides(call.where) for call in group), strict=True)
        telling = (words for words in sides if all(words) and len(set(words)) == len(group) > 1)
        for call, word in zip(group, next(telling, ()), strict=False):
            found |= {f"o{number}": word for number in range(call.start, call.end)}
    return found


def _sides(where: Where | None) -> tuple[str, str]:
    """The variable that a call is assigned to, and its first argument, as a line has them; nothing for what is long."""
    if where is None or where.columns is None:
        return "", ""
    first, last = where.columns
    try:
        call = ast.parse(where.text[first:last].strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return "", ""
    name, sign, _ = where.text[:first].rpartition("=")
    target = (
        name.strip() if sign and not where.text[last:].strip() and where.text[:first].rstrip().endswith("=") else ""
    )
    given = ast.unparse(call.args[0]) if isinstance(call, ast.Call) and call.args else ""
    return target if target.isidentifier() else "", given if len(given) <= LONG else ""
