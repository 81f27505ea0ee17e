"""The optimizers that a program makes, as its text says: what they are called, and whether anything steps them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from autograd_lab.events import Where
from autograd_lab.findings.case import Case, Update
from autograd_lab.findings.finding import Place
from autograd_lab.findings.text import nodes, place

TYPES = {
    "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon", "NAdam", "RAdam", "RMSprop",
    "Rprop", "SGD", "SparseAdam",
}  # fmt: skip
STEP = re.compile(r"([\w.\[\]]+)\.step\(\s*([\w.\[\]]*)")


@dataclass(frozen=True, slots=True)
class Made:
    """An optimizer: what it is called, its class, the line, and whether it is stepped, or others may step it; and what
    it is given by name, as it is written."""

    name: str
    type: str
    where: Where
    steps: bool
    is_handed_on: bool
    options: Mapping[str, str] = field(default_factory=dict, compare=False)


def name_of(where: Where | None) -> str:
    """What a line that steps calls its optimizer.

    >>> def called(text, columns=None): return name_of(Where(file="train.py", line=1, text=text, columns=columns))
    >>> called("opt_D.step()"), called("scaler.step(opt)"), called("fit(model)")
    ('opt_D', 'opt', 'optimizer')
    >>> called("schedule.step(); self.opt.step()", (17, 32))
    'self.opt'
    """
    if where is None:
        return "optimizer"
    start, end = where.columns or (0, len(where.text))
    found = STEP.search(where.text[start:end])
    if found is None:
        return "optimizer"
    return found[2] if "scaler" in found[1].lower() and found[2] else found[1]


def made_in(case: Case) -> Iterator[Made]:
    """All optimizers that the texts of a run's files make, and give a name."""
    for file, text in case.files.items():
        yield from _made(file, text)


def made_by(case: Case, update: Update) -> Made | None:
    """The optimizer that steps in an update, if its line calls it as the line does that makes it."""
    name = name_of(update.where)
    return next((made for made in made_in(case) if made.name == name), None)


def place_of_rate(case: Case, update: Update) -> list[Place]:
    """Where the learning rate of an update is given, if that is known."""
    made = made_by(case, update)
    return [] if made is None else [Place(words="its learning rate is given here", where=made.where)]


def is_after_optimizer(case: Case, where: Where | None) -> bool:
    """Whether a line comes after one that makes an optimizer, in the same function, so that it runs after it."""
    if where is None:
        return False
    scopes = _scopes(case.files.get(where.file, ""))
    before = [made.where for made in made_in(case) if made.where.file == where.file and made.where.line < where.line]
    return any(_inner(scopes, each.line) == _inner(scopes, where.line) for each in before)


@lru_cache(maxsize=16)
def _scopes(text: str) -> list[tuple[int, int]]:
    """The first and last lines of all functions."""
    return [(n.lineno, n.end_lineno or 0) for n in (*nodes(text, ast.FunctionDef), *nodes(text, ast.ClassDef))]


def _inner(scopes: list[tuple[int, int]], line: int) -> tuple[int, int] | None:
    return max((scope for scope in scopes if scope[0] <= line <= scope[1]), default=None)


@lru_cache(maxsize=16)
def _made(file: str, text: str) -> tuple[Made, ...]:
    if not any(name in text for name in TYPES):
        return ()
    found = []
    for node in nodes(text, ast.Assign):
        if len(node.targets) == 1 and isinstance(node.value, ast.Call) and (kind := _type(node.value)):
            name = ast.unparse(node.targets[0])
            options = {each.arg: ast.unparse(each.value) for each in node.value.keywords if each.arg}
            at, steps = place(file, text, node), _steps(text, name)
            found.append(Made(name, kind, at, steps, _is_handed_on(text, name), options))
    return tuple(found)


def _type(value: ast.Call) -> str:
    """The class of the optimizer that a call makes, if it makes one."""
    name = ast.unparse(value.func).rpartition(".")[2]
    return name if name in TYPES else ""


def _steps(text: str, name: str) -> bool:
    """Whether anything reads `.step` of it."""
    return any(n.attr == "step" and ast.unparse(n.value) == name for n in nodes(text, ast.Attribute))


def _is_handed_on(text: str, name: str, seen: frozenset[str] = frozenset()) -> bool:
    """Whether it is read otherwise than by an attribute, where others may step it: a scheduler leaves steps to others,
    and of a function of the same text one can see whether it does."""
    known = {id(node.value) for node in nodes(text, ast.Attribute)}
    read: list[ast.Name | ast.Attribute] = [*nodes(text, ast.Name), *nodes(text, ast.Attribute)]
    names = {id(node) for node in read if isinstance(node.ctx, ast.Load) and ast.unparse(node) == name} - known
    functions = {each.name: each for each in nodes(text, ast.FunctionDef)} if names else {}
    for call in nodes(text, ast.Call) if names else ():
        called = ast.unparse(call.func)
        if "lr_scheduler" in called:
            names -= {id(argument) for argument in call.args}
        for argument, parameter in _pairs(call, functions[called]) if called in functions else ():
            if id(argument) in names and not _is_stepped_as(text, parameter, seen | {name}):
                names.remove(id(argument))
    return bool(names)


def _is_stepped_as(text: str, parameter: str, seen: frozenset[str]) -> bool:
    """Whether a function may step what it takes by this name, which is not among those that were asked for before."""
    return parameter not in seen and (_steps(text, parameter) or _is_handed_on(text, parameter, seen))


def _pairs(call: ast.Call, function: ast.FunctionDef) -> Iterator[tuple[ast.expr, str]]:
    """What a call gives, each with the parameter that takes it."""
    taken = [each.arg for each in function.args.args]
    yield from zip(call.args, taken, strict=False)
    yield from ((keyword.value, keyword.arg) for keyword in call.keywords if keyword.arg is not None)
