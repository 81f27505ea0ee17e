"""`h.grad` of what was computed, or of what does not ask for one: it is None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Case, Tensor
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND, OF_DATA = "grad-of-a-result", "grad-of-data"


def find(case: Case) -> Iterator[Finding]:
    """The first line of the program that reads the `.grad` of a name that only ever meant what keeps none: what was
    computed and not retained, or what does not ask for a gradient."""
    if not case.passes:
        return
    for file, text in case.files.items():
        for name, line in _reads(text):
            named = {i: t for i, t in case.tensors.items() if t.facts.name == name}
            where = Where(file=file, line=line, text=text.splitlines()[line - 1].strip())
            if not named or any(i in case.grads or i in case.retained for i in named):
                continue
            if all(t.first_maker is not None and t.facts.requires_grad for t in named.values()):
                yield _of_a_result(name, where, *next(iter(named.items())))
                return
            if all(_is_plain(tensor) for tensor in named.values()):
                yield _of_plain(name, where, *next(iter(named.items())))
                return


def _is_plain(tensor: Tensor) -> bool:
    """Whether a tensor was made, not computed, and never asked for a gradient, though computations used it."""
    return tensor.first_maker is None and not tensor.facts.requires_grad and not tensor.switched and bool(tensor.uses)


def _of_a_result(name: str, where: Where, identity: str, tensor: Tensor) -> Finding:
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{name}.grad is None: {name} was computed, and only leaves keep theirs.",
        cause=(Place(words="read here", where=where), Place(words="computed here", where=tensor.where)),
        remedy=f"Call `{name}.retain_grad()` before backward(), or `torch.autograd.grad(loss, {name})` for it.",
        steps=(tensor.step,), parts=(identity,),
    )  # fmt: skip


def _of_plain(name: str, where: Where, identity: str, tensor: Tensor) -> Finding:
    return Finding(
        kind=OF_DATA, severity=WARNING,
        sentence=f"{name}.grad is None: {name} does not ask for a gradient.",
        cause=(Place(words="made here, as data", where=tensor.where), Place(words="read here", where=where)),
        remedy=f"Say so before the forward pass: `{name}.requires_grad_()`.",
        steps=(tensor.step,), parts=(identity,),
    )  # fmt: skip


def _reads(text: str) -> list[tuple[str, int]]:
    """The names at module level of which a program reads `.grad`, each with its line."""
    if ".grad" not in text:
        return []
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    inside = {id(n) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef | ast.Lambda) for n in ast.walk(f)}
    return [
        (node.value.id, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "grad" and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name) and id(node) not in inside
    ]  # fmt: skip
