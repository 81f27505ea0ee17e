"""Graphs of passes that are long over and still alive, since something refers to their losses: `total += loss`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Call, Case, Pass
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.text import nodes, place

KIND = "graph-kept-alive"
ADDED = re.compile(r"(?:\+=|=\s*[\w.]+\s*\+)\s*(\w+)\s*$")
"""What a line adds, by the name that it has there."""
MANY = 3
"""So many passes from one line have to be over before it counts."""
MANY_OF_A_BEGINNING = 10
"""So many where the program goes on, and may let go of them later."""


def find(case: Case) -> Iterator[Finding]:
    """Lines from which passes began whose roots all live on while the same line begins further passes."""
    by_line: dict[object, list[Pass]] = {}
    for each in case.passes:
        if each.end is not None and each.roots and not each.event.retain_graph:
            by_line.setdefault(each.event.where, []).append(each)
    found: dict[tuple[Place, str], list[tuple[list[Pass], list[str], bool]]] = {}
    for passes in by_line.values():
        roots = [each.roots[0] for each in passes]
        if len(set(roots)) < (MANY_OF_A_BEGINNING if case.is_beginning else MANY) or passes[0].event.where is None:
            continue
        early = list(zip(roots[:-2], passes[2:], strict=True))
        alive = [root for root, later in early if case.released.get(root, case.steps + 1) > later.step]
        if len(alive) != len(early):
            alive = _most_at_once(case, passes, roots) or _most_at_once(case, passes, _kept_parts(case, passes))
        if alive and not _is_gone_back_from_again(case, alive, passes):
            found.setdefault(_kept_by(case, passes, alive), []).append((passes, alive, len(alive) == len(early)))
    yield from (_finding(case, *by, lines) for by, lines in found.items())


def _most_at_once(case: Case, passes: list[Pass], roots: list[str]) -> list[str]:
    """The graphs that are alive when a further pass begins, where they are most: within an epoch, if its end lets go of
    them; none, if they are few."""
    enough = MANY_OF_A_BEGINNING if case.is_beginning else MANY
    at = [[r for r in roots[:k] if case.released.get(r, case.steps + 1) > p.step] for k, p in enumerate(passes)]
    most = max(at, key=len)
    return most if len(most) >= enough else []


def _kept_parts(case: Case, passes: list[Pass]) -> list[str]:
    """Of each pass the last node with a name that outlives it, as of an output that is kept in a list; or its loss."""
    found = []
    for each in passes:
        calls = [case.call_of[node] for node in each.ran if node in case.call_of]
        named = [c for c in calls if c.outputs and c.outputs[0].name and c.step < each.step]
        kept = max(named, key=lambda c: (case.released.get(c.node or "", case.steps + 1), c.number), default=None)
        found.append(each.roots[0] if kept is None else kept.node or "")
    return found


def _is_gone_back_from_again(case: Case, roots: list[str], passes: list[Pass]) -> bool:
    """Whether the graphs are needed: a pass runs through the nodes once more."""
    return any(sum(root in each.ran for each in case.passes) > 1 for root in roots)


def _finding(case: Case, cause: Place, remedy: str, lines: list[tuple[list[Pass], list[str], bool]]) -> Finding:
    """Of all lines from which passes began whose graphs one and the same thing keeps."""
    passes, alive, _ = lines[0]
    holder = _holder(case, alive[0])
    count, many = sum(len(each) for each, _, _ in lines), sum(len(each) for _, each, _ in lines)
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The graphs of all {count} passes are still alive: memory grows." if all(all_ for *_, all_ in lines)
        else f"The graphs of {many} earlier passes are alive at once: memory grows from turn to turn.",
        cause=(cause,), remedy=remedy, steps=(passes[1].step,) if holder is None else (holder.step,),
        parts=tuple(alive[:3]),
    )  # fmt: skip


def _kept_by(case: Case, passes: list[Pass], alive: list[str]) -> tuple[Place, str]:
    """What keeps the graphs alive, and what to keep instead: a sum, a list, or something else."""
    first, holder = passes[0], _holder(case, alive[0])
    loss = (case.tensors[first.event.tensors[0]].facts.name if first.event.tensors else None) or "loss"
    part = case.call_of[alive[0]] if alive[0] not in {root for each in passes for root in each.roots} else None
    if part is None and holder is not None and _adds_up(case, holder):
        added = ADDED.search(holder.where.text.partition("  #")[0]) if holder.where is not None else None
        total, number = holder.outputs[0].name or "the sum", f"{added[1] if added else loss}.item()"
        place = Place(words=f"{total} is part of a graph, and leads to all of them", where=holder.where)
        return place, f"Add the number alone: `{total} += {number}`."
    part = holder if part is None else part
    what = loss if part is None else part.outputs[0].name or "output"
    number = f"{what}.item()" if part is None or not part.outputs[0].shape else f"{what}.detach()"
    if (put := _put_away(case, what, first.event.where)) is not None:
        code = re.sub(rf"\b{what}\b(?=\s*[,)])", number, put.text.partition("#")[0].strip())
        return Place(
            words=f"each {what} is kept here, with all that led to it", where=put
        ), f"Keep the numbers alone: `{code}`."
    if part is not None:
        words = f"each {what} is still referred to, with all that led to it"
        return Place(words=words, where=part.where), f"Keep the numbers alone: `{number}`."
    words = f"each {loss} that backward() began at is still referred to"
    remedy = f"Keep the number alone, `{number}`, or cut its history off: `{loss}.detach()`."
    return Place(words=words, where=first.event.where), remedy


def _put_away(case: Case, what: str, near: Where | None) -> Where | None:
    """The only line of a file that appends a variable to a list."""
    text = "" if near is None else case.files.get(near.file, "")
    puts = [call for call in nodes(text, ast.Call) if _appends(call, what)]
    return place(near.file, text, puts[0]) if near is not None and len(puts) == 1 else None


def _appends(call: ast.Call, what: str) -> bool:
    """Whether a call is `.append(what)`, or appends a tuple in which it is."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "append" or len(call.args) != 1:
        return False
    given = call.args[0]
    return what in [ast.unparse(each) for each in (given.elts if isinstance(given, ast.Tuple) else [given])]


def _adds_up(case: Case, holder: Call) -> bool:
    """Whether a line computes a variable of what it was before, as `total += loss` does."""
    name = holder.outputs[0].name
    again = (each for each in case.calls if each.where == holder.where)
    return any(case.tensors[o].facts.name == name for each in again for o in each.operands if o in case.tensors)


def _holder(case: Case, root: str) -> Call | None:
    """What was computed of a loss after its pass, and recorded, under a name."""
    end = next((p.end or p.step for p in case.passes if root in p.roots), 0)
    call = case.call_of.get(root)
    users = [case.calls[number] for number in call.users] if call is not None else []
    return next((u for u in users if u.node is not None and u.outputs[0].name), None) if end else None
