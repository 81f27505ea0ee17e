"""`params = model.parameters()`, given to an optimizer and then to clipping: a generator gives everything once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lab.findings.case import Case
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.text import nodes, place
from autograd_lab.findings.training.clipping import CLIPS

KIND = "clipping-nothing"


def find(case: Case) -> Iterator[Finding]:
    """The first clipping in each file that ran which is given a generator after something else was."""
    ran = {each.event.where.file for each in case.passes if each.event.where is not None}
    for file, text in case.files.items():
        if file in ran and case.updates and any(name in text for name in CLIPS):
            yield from list(_in(case, file, text))[:1]


def _in(case: Case, file: str, text: str) -> Iterator[Finding]:
    for made in (each for each in nodes(text, ast.Assign) if _is_generator(each.value)):
        name = ast.unparse(made.targets[0])
        taken = [node for node in _takers(text, name) if node.lineno > made.lineno]
        clip = next((node for node in taken[1:] if ast.unparse(node.func).rpartition(".")[2] in CLIPS), None)
        if clip is not None and not _is_anothers_name(text, name, made):
            yield Finding(
                kind=KIND, severity=WARNING,
                sentence=f"Nothing is clipped: {name} is a generator, and used up.",
                cause=(
                    Place(words="nothing is left of it here", where=place(file, text, clip)),
                    Place(words="this took all that it gives", where=place(file, text, taken[0])),
                    Place(words="it gives everything once", where=place(file, text, made)),
                ),
                remedy=f"Make a list of it: `{name} = list({ast.unparse(made.value)})`.",
                steps=(case.passes[0].step,),
            )  # fmt: skip


def _takers(text: str, name: str) -> list[ast.Call]:
    """The calls that are given a name first, and go through it, line by line."""
    calls = (n for n in nodes(text, ast.Call) if n.args and ast.unparse(n.args[0]) == name)
    return sorted((n for n in calls if ast.unparse(n.func) not in LOOKS), key=lambda node: node.lineno)


LOOKS = ("print", "len", "type", "id", "isinstance", "next", "iter")


def _is_anothers_name(text: str, name: str, made: ast.Assign) -> bool:
    """Whether something else has the name as well, here or in another function."""
    if any(each.arg == name for each in nodes(text, ast.arg)):
        return True
    return any(n is not made and ast.unparse(n.targets[0]) == name for n in nodes(text, ast.Assign))


def _is_generator(made: ast.expr) -> bool:
    match made:
        case ast.GeneratorExp() | ast.Call(func=ast.Name(id="filter" | "map")):
            return True
        case ast.Call(func=ast.Attribute(attr="parameters")):
            return True
    return False
