"""One layer in several places where copies were meant: `[nn.Linear(4, 4)] * 3`, `target = model`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Case
from autograd_lab.findings.finding import NOTE, WARNING, Finding, Place

KIND = "weights-shared"


def find(case: Case) -> Iterator[Finding]:
    """Lists that are made by `*` of one layer that has weights, and names that were to be copies; in files that ran."""
    if not case.updates:
        return
    for file, text in case.files.items():
        if "*" in text or ".load_state_dict(" in text:
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError):
                continue
            yield from _repeated(case, file, text, tree)
            yield from _aliases(case, file, text, tree)


def _at(file: str, text: str, node: ast.expr | ast.stmt) -> Where:
    return Where(file=file, line=node.lineno, text=text.splitlines()[node.lineno - 1].strip())


def _repeated(case: Case, file: str, text: str, tree: ast.AST) -> Iterator[Finding]:
    """`[layer] * n`, where weights that were made on that line, or on the line of the layer, are used several times."""
    made = {n.targets[0].id: n.lineno for n in ast.walk(tree)
            if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)}  # fmt: skip
    for node in ast.walk(tree):
        match node:
            case (
                ast.BinOp(left=ast.List(elts=[one]), op=ast.Mult())
                | ast.BinOp(op=ast.Mult(), right=ast.List(elts=[one]))
            ):
                line = made.get(one.id, 0) if isinstance(one, ast.Name) else node.lineno
                names = _used_again(case, file, line)
                if names and isinstance(one, ast.Name | ast.Call):
                    yield _of_a_list(case, _at(file, text, node), ast.unparse(one), isinstance(one, ast.Call), names)


def _used_again(case: Case, file: str, line: int) -> list[str]:
    """The weights made on a line that one call of a module uses several times."""
    lines = {
        name for name, each in case.tensors.items() if each.where and (each.where.file, each.where.line) == (file, line)
    }
    outer = [each for each in case.modules if not each.depth]
    return [
        name for name in lines & case.given
        if any(sum(each.first <= use < each.last for use in case.tensors[name].uses) > 1 for each in outer)
    ]  # fmt: skip


def _of_a_list(case: Case, where: Where, one: str, is_made: bool, names: list[str]) -> Finding:
    what = one if len(one) < 30 else f"{one.partition('(')[0]}(...)"
    each = f"`[{what} for _ in range(n)]`" if is_made else f"`[copy.deepcopy({what}) for _ in range(n)]`"
    return Finding(
        kind=KIND, severity=WARNING if is_made else NOTE,
        sentence=f"All layers of this list are one and the same: {what} is made once, and its weights are shared.",
        cause=(Place(words="* repeats the layer, and copies nothing", where=where),),
        remedy=f"Make each of them: {each}.", steps=(case.tensors[names[0]].step,), parts=tuple(names),
    )  # fmt: skip


def _aliases(case: Case, file: str, text: str, tree: ast.AST) -> Iterator[Finding]:
    """`target = model`, where target is later to take over the weights of model."""
    if ".load_state_dict(" not in text:
        return
    same = {
        (node.targets[0].id, node.value.id): node for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Name)
    }  # fmt: skip
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=one), attr="load_state_dict"),
                args=[ast.Call(func=ast.Attribute(value=ast.Name(id=two), attr="state_dict"))],
            ) if (one, two) in same:
                yield Finding(
                    kind=KIND, severity=WARNING,
                    sentence=f"{one} and {two} are one and the same model: {one} learns whenever {two} does.",
                    cause=(
                        Place(words="= is a second name, and copies nothing", where=_at(file, text, same[one, two])),
                        Place(words="here it takes its weights over from itself", where=_at(file, text, node)),
                    ),
                    remedy=f"Make a copy: `{one} = copy.deepcopy({two})`.", steps=(case.updates[0].step,),
                )  # fmt: skip
