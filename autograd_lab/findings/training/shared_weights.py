"""One layer in several places where copies were meant: `[nn.Linear(4, 4)] * 3`, `target = model`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Case, ModuleCall
from autograd_lab.findings.finding import NOTE, WARNING, Finding, Place
from autograd_lab.findings.text import nodes, place

KIND = "weights-shared"


def find(case: Case) -> Iterator[Finding]:
    """Lists that are made by `*` of one layer that has weights, and names that were to be copies; in files that ran."""
    if not case.updates:
        return
    for file, text in case.files.items():
        if REPEATED.search(text):
            yield from _repeated(case, file, text)
        if ".load_state_dict(" in text or "zip(" in text:
            yield from _aliases(case, file, text)
        if ".load_state_dict(" in text:
            yield from _kept_weights(case, file, text)


REPEATED = re.compile(r"\]\s*\*|\*\s*\[")


def _repeated(case: Case, file: str, text: str) -> Iterator[Finding]:
    """`[layer] * n`, where a module of this class that has weights is called several times within one call."""
    for node in nodes(text, ast.BinOp):
        match node:
            case (
                ast.BinOp(left=ast.List(elts=[one]), op=ast.Mult())
                | ast.BinOp(op=ast.Mult(), right=ast.List(elts=[one]))
            ):
                maker = one if isinstance(one, ast.Call) else _made(text, one)
                if isinstance(maker, ast.Call) and (call := _called_again(case, _name(maker))) is not None:
                    yield _of_a_list(case, place(file, text, node), ast.unparse(one), maker is one, call)


def _made(text: str, one: ast.expr) -> ast.expr | None:
    """What is assigned to what is repeated."""
    name = ast.unparse(one)
    return next((n.value for n in nodes(text, ast.Assign) if ast.unparse(n.targets[0]) == name), None)


def _name(made: ast.Call) -> str:
    return ast.unparse(made.func).rpartition(".")[2]


def _called_again(case: Case, kind: str) -> ModuleCall | None:
    """The second call of the same module of a class within one call of the whole."""
    seen: set[str] = set()
    for each in case.modules:
        if not each.depth:
            seen = set()
        elif each.event.type == kind and each.event.parameters:
            if each.event.module in seen:
                return each
            seen.add(each.event.module)
    return None


def _of_a_list(case: Case, where: Where, one: str, is_made: bool, call: ModuleCall) -> Finding:
    what = one if len(one) < 30 else f"{one.partition('(')[0]}(...)"
    each = f"`[{what} for _ in range(n)]`" if is_made else f"`[copy.deepcopy({what}) for _ in range(n)]`"
    return Finding(
        kind=KIND, severity=WARNING if is_made else NOTE,
        sentence=f"All layers of this list are one and the same: {what} is made once, and its weights are shared.",
        cause=(Place(words="* repeats the layer, and copies nothing", where=where),),
        remedy=f"Make each of them: {each}.", steps=(call.step,),
        parts=tuple({name for each in case.calls[call.first : call.last] for name in each.operands} & case.given),
    )  # fmt: skip


def _aliases(case: Case, file: str, text: str) -> Iterator[Finding]:
    """`target = model`, where target is later to take over the weights of model, or to follow them."""
    same = {
        (node.targets[0].id, node.value.id): node for node in nodes(text, ast.Assign)
        if isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Name)
    }  # fmt: skip
    for node in nodes(text, ast.Call):
        pair = _taken_over(node) or _updated_by(node)
        if pair in same:
            one, two = pair
            yield Finding(
                kind=KIND, severity=WARNING,
                sentence=f"{one} and {two} are one and the same model: {one} learns whenever {two} does.",
                cause=(
                    Place(words="= is a second name, and copies nothing", where=place(file, text, same[pair])),
                    Place(words="here it follows itself", where=place(file, text, node)),
                ),
                remedy=f"Make a copy: `{one} = copy.deepcopy({two})`.", steps=(case.updates[0].step,),
            )  # fmt: skip
            return


def _taken_over(node: ast.Call) -> tuple[str, str] | None:
    """The models of `one.load_state_dict(two.state_dict())`."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=one), attr="load_state_dict"),
            args=[ast.Call(func=ast.Attribute(value=ast.Name(id=two), attr="state_dict"))],
        ):
            return one, two
    return None


def _updated_by(node: ast.Call) -> tuple[str, str] | None:
    """The models of `zip(one.parameters(), two.parameters())`."""
    match node:
        case ast.Call(
            func=ast.Name(id="zip"),
            args=[
                ast.Call(func=ast.Attribute(value=ast.Name(id=one), attr="parameters" | "state_dict")),
                ast.Call(func=ast.Attribute(value=ast.Name(id=two), attr="parameters" | "state_dict")),
            ],
        ):
            return one, two
    return None


def _kept_weights(case: Case, file: str, text: str) -> Iterator[Finding]:
    """`best = model.state_dict()` in a loop, which model is later to take over: by then it holds the last weights."""
    loops = (*nodes(text, ast.For), *nodes(text, ast.While))
    kept: dict[str, ast.Assign] = {}
    for each in (each for loop in loops for each in ast.walk(loop) if isinstance(each, ast.Assign)):
        if isinstance(each.targets[0], ast.Name) and ast.unparse(each.value).endswith(".state_dict()"):
            kept[f"{ast.unparse(each.value).removesuffix('.state_dict()')}({each.targets[0].id})"] = each
    for node in nodes(text, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "load_state_dict":
            taken = kept.get(f"{ast.unparse(node.func.value)}({', '.join(map(ast.unparse, node.args))})")
            if taken is not None and taken.lineno < node.lineno:
                model = ast.unparse(node.func.value)
                yield Finding(
                    kind=KIND, severity=WARNING,
                    sentence=f"{ast.unparse(taken.targets[0])} holds the weights of {model} themselves, and no copy.",
                    cause=(
                        Place(words="state_dict() copies nothing", where=place(file, text, taken)),
                        Place(words="here it takes over what it has already", where=place(file, text, node)),
                    ),
                    remedy=f"Keep a copy: `copy.deepcopy({model}.state_dict())`.", steps=(case.updates[0].step,),
                )  # fmt: skip
