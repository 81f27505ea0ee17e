"""`h.grad` of what was computed, or of what does not ask for one: it is None."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from autograd_lab.events import Where
from autograd_lab.findings.case import Case, Tensor
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.text import nodes

KIND, OF_DATA = "grad-of-a-result", "grad-of-data"


def find(case: Case) -> Iterator[Finding]:
    """The first line of the program that reads the `.grad` of a name that only ever meant what keeps none: what was
    computed and not retained, or what does not ask for a gradient."""
    if not case.passes:
        return
    for file, text in case.files.items():
        for name, line in _reads(text):
            named = _meant_by(case, name)
            where = Where(file=file, line=line, text=text.splitlines()[line - 1].strip())
            last = max(named.items(), key=lambda each: each[1].step, default=None)
            if last is not None and _is_renamed(case, named, last, line):
                found = _of_a_result(name, where, *last)
                remedy = f"Give what is computed another name: the leaf that was called {name} has its gradient."
                yield replace(found, remedy=remedy)
                return
            if not named or any(i in case.grads or i in case.retained for i in named):
                continue
            if all(t.first_maker is not None and t.facts.requires_grad for t in named.values()):
                yield _of_a_result(name, where, *next(iter(named.items())))
                return
            if all(_is_plain(tensor) for tensor in named.values()):
                yield _of_plain(name, where, *next(iter(named.items())))
                return


def _meant_by(case: Case, name: str) -> dict[str, Tensor]:
    """The tensors that a name, or an attribute, of the program ever meant, by their ids."""
    if "." not in name:
        return {i: t for i, t in case.tensors.items() if t.facts.name == name}
    attribute = re.compile(rf"\w+\.{re.escape(name.rpartition('.')[2])}\s*=(?!=)")  # as self.h = ... in a method
    found = {i: t for i, t in case.tensors.items() if t.where is not None and attribute.match(t.where.text)}
    last = {t.where: i for i, t in found.items()}  # of a line that computes, what comes out of it
    return {i: found[i] for i in last.values()}


def _is_renamed(case: Case, named: dict[str, Tensor], last: tuple[str, Tensor], line: int) -> bool:
    """Whether a name meant a leaf that got a gradient, and means what was computed of that when it is read."""
    identity, tensor = last
    if tensor.first_maker is None or not tensor.facts.requires_grad or identity in (*case.grads, *case.retained):
        return False
    made = tensor.where is not None and tensor.where.line < line
    return (
        made
        and len(named) == 2
        and any(i in case.calls[tensor.first_maker].operands and i in case.grads for i in named)
    )


def _is_plain(tensor: Tensor) -> bool:
    """Whether a tensor was made, not computed, and never asked for a gradient, though computations used it."""
    return tensor.first_maker is None and not tensor.facts.requires_grad and not tensor.switched and bool(tensor.uses)


def _of_a_result(name: str, where: Where, identity: str, tensor: Tensor) -> Finding:
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{name}.grad is None: {name} was computed, and only leaves keep theirs.",
        cause=(Place(words="read here", where=where), Place(words="computed here", where=tensor.where)),
        remedy=f"Make it the leaf: leave `requires_grad=True` out there, and call `{name}.requires_grad_()` after it."
        if asked_too_early(tensor.where.text if tensor.where is not None else "")
        else f"Call `{name}.retain_grad()` before backward(), or `torch.autograd.grad(loss, {name})` for it.",
        steps=(tensor.step,), parts=(identity,),
    )  # fmt: skip


def asked_too_early(text: str) -> bool:
    """Whether a line makes a leaf that asks for a gradient, and gives its name to what it computes of that.

    >>> asked_too_early("w = torch.randn(3, requires_grad=True) * 0.01"), asked_too_early("y = x * 2")
    (True, False)
    """
    return bool(re.search(r"=.*\brequires_grad(?:=True|_\(\))", text))


def _of_plain(name: str, where: Where, identity: str, tensor: Tensor) -> Finding:
    return Finding(
        kind=OF_DATA, severity=WARNING,
        sentence=f"{name}.grad is None: {name} does not ask for a gradient.",
        cause=(Place(words="made here, as data", where=tensor.where), Place(words="read here", where=where)),
        remedy=f"Say so before the forward pass: `{name}.requires_grad_()`.",
        steps=(tensor.step,), parts=(identity,),
    )  # fmt: skip


def _reads(text: str) -> list[tuple[str, int]]:
    """The names and attributes at module level of which a program reads `.grad`, each with its line."""
    if ".grad" not in text:
        return []
    inside = {id(n) for f in (*nodes(text, ast.FunctionDef), *nodes(text, ast.Lambda)) for n in ast.walk(f)}
    return [
        (ast.unparse(node.value), node.lineno)
        for node in nodes(text, ast.Attribute)
        if node.attr == "grad" and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name | ast.Attribute) and id(node) not in inside
    ]  # fmt: skip
