"""`for p in model.parameters(): p = p - lr * p.grad`: the name means a new tensor, and no parameter changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lab.findings.case import Case
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.text import nodes, place

KIND = "leaf-replaced"


def find(case: Case) -> Iterator[Finding]:
    """The lines that ran and give a loop's name of a parameter to a result of it, which nothing uses."""
    ran = {(call.where.file, call.where.line): call for call in reversed(case.calls) if call.where is not None}
    for file, text in case.files.items():
        for loop in nodes(text, ast.For) if "parameters()" in text else ():
            for made in _dead(loop):
                if (call := ran.get((file, made.lineno))) is not None:
                    name, value = ast.unparse(made.targets[0]), ast.unparse(made.value)
                    where = place(file, text, made)
                    yield Finding(
                        kind=KIND, severity=WARNING,
                        sentence=f"This loop changes no parameter: {name} means a new tensor, which nothing uses.",
                        cause=(Place(words="= gives the name away, and writes nothing", where=where),),
                        remedy=f"Write to the parameter itself: `with torch.no_grad(): {name}.copy_({value})`.",
                        steps=(call.step,), parts=tuple(each.id for each in call.outputs),
                    )  # fmt: skip


def _dead(loop: ast.For) -> Iterator[ast.Assign]:
    """What is assigned to a name of a loop over parameters, computed of it, and not looked at before the next turn."""
    if "parameters()" not in ast.unparse(loop.iter):
        return
    names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    reads = [n for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    for made in (n for n in inside if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)):
        name = ast.unparse(made.targets[0])
        of = {n.id for n in ast.walk(made.value) if isinstance(n, ast.Name)}
        later = [n for n in reads if n.id == name and n.lineno > (made.end_lineno or made.lineno)]
        if name in names and name in of and not later:
            yield made
