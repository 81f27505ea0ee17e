"""`w = w - lr * w.grad`: the variable means a new tensor from then on, which is no leaf."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "leaf-replaced"


def find(case: Case) -> Iterator[Finding]:
    """The first call for each leaf whose result took the leaf's name, computed of the leaf and of its `.grad`."""
    seen = set()
    for call in case.calls:
        leaf = _replaced(case, call)
        if leaf is not None and leaf not in seen:
            seen.add(leaf)
            yield _finding(case, call, leaf)


def _replaced(case: Case, call: Call) -> str | None:
    new = call.outputs[0] if len(call.outputs) == 1 else None
    if new is None or not new.name or new.id in call.operands:
        return None
    for operand in call.operands:
        old = case.tensors.get(operand)
        if old is None or old.facts.name != new.name or not old.facts.requires_grad or old.first_maker is not None:
            continue
        if any(case.grad_of.get(name) == operand for each in _on_line(case, call) for name in each.operands):
            return operand
    return None


def _on_line(case: Case, call: Call) -> list[Call]:
    """The calls of the same line, just before."""
    found = [call]
    for each in reversed(case.calls[max(0, call.number - 8) : call.number]):
        if each.where != call.where:
            break
        found.append(each)
    return found


def _finding(case: Case, call: Call, leaf: str) -> Finding:
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
