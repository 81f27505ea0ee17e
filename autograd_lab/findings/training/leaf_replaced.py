"""`w = w - lr * w.grad`: the variable means a new tensor from then on, which is no leaf."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "leaf-replaced"


def find(case: Case) -> Iterator[Finding]:
    """The first call for each leaf whose result took the leaf's name, computed of the leaf and of its `.grad`."""
    seen: set[str] = set()
    for call in case.calls:
        leaf = _replaced(case, call)
        if leaf is not None and leaf not in seen:
            seen.add(leaf)
            if (whole := _list_of(call)) is None or whole not in seen:
                yield _finding(case, call, leaf)
            seen.add(whole or leaf)


def _replaced(case: Case, call: Call) -> str | None:
    new = call.outputs[0] if len(call.outputs) == 1 else None
    if new is None or not (new.name or _list_of(call)) or new.id in call.operands:
        return None
    in_list = _list_of(call) is not None and call.node is not None
    for operand in call.operands:
        old = case.tensors.get(operand)
        if (
            old is None
            or (old.facts.name != new.name and not in_list)
            or not old.facts.requires_grad
            or old.first_maker is not None
        ):
            continue
        if any(case.grad_of.get(name) == operand for each in _on_line(case, call) for name in each.operands):
            return operand
    return None


AGAIN = re.compile(r"(\w+)\s*=\s*\[.*\bfor\b.*\bin\s+(?:zip\()?\1\b")
"""A list that is made anew of what is in it."""


def _list_of(call: Call) -> str | None:
    """The list of leaves in whose place a line puts a list of results."""
    return None if call.where is None else _list_in(call.where.text)


@lru_cache(1024)
def _list_in(line: str) -> str | None:
    found = AGAIN.match(line)
    return None if found is None or ".grad" not in found[0] else found[1]


def _on_line(case: Case, call: Call) -> list[Call]:
    """The calls of the same line, just before."""
    found = [call]
    for each in reversed(case.calls[max(0, call.number - 8) : call.number]):
        if each.where != call.where:
            break
        found.append(each)
    return found


def _finding(case: Case, call: Call, leaf: str) -> Finding:
    whole = _list_of(call)
    if whole is not None:
        return _of_list(case, call, leaf, whole)
    name = case.tensors[leaf].facts.name
    why = "computed, so it keeps no .grad" if call.node is not None else "a tensor that asks for no gradient"
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{name} is no leaf any more: the update gave its name to a new tensor.",
        cause=(
            Place(words=f"from here on {name} is {why}", where=call.where),
            Place(words="this was the leaf", where=case.tensors[leaf].where),
        ),
        remedy=f"Change the leaf itself: `with torch.no_grad(): {name} -= lr * {name}.grad`.",
        steps=(call.step,), parts=(leaf, call.outputs[0].id),
    )  # fmt: skip


def _of_list(case: Case, call: Call, leaf: str, whole: str) -> Finding:
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"What is in {whole} is no leaf any more: the update made new tensors.",
        cause=(
            Place(words=f"from here on {whole} has computed tensors, which keep no .grad", where=call.where),
            Place(words="these were the leaves", where=case.tensors[leaf].where),
        ),
        remedy="Change the leaves themselves: `with torch.no_grad():`, and in it `p -= lr * p.grad` for each.",
        steps=(call.step,), parts=(leaf, call.outputs[0].id),
    )  # fmt: skip
