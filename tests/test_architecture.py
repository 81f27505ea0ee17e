"""The house keeps its order: who may import whom, what things may be called, how long they may grow.

A *room* is a module or package at the top of `autograd_lab`; the front door, `__init__.py`, is the room `""`. Whoever
builds a new room for the rooms of `MAY_IMPORT` to use gives it a line there, and so has to think where it stands.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "autograd_lab"
FRONT_DOOR = ""
FACTS = {"events", "trace"}
RECORDING = FACTS | {
    "values", "source", "decode", "ledger", "census", "naming", "calls", "passes", "meetings", "notices", "results",
    "recorder", "milestones",
}  # fmt: skip

MAY_IMPORT = {
    "events": set(),
    "milestones": set(),
    "values": {"events"},
    "source": {"events"},
    "course": set(),
    "trace": {"events", "course"},
    "decode": {"events", "values", "source"},
    "ledger": {"values"},
    "census": {"events", "values", "ledger"},
    "naming": {"source"},
    "calls": {"events", "source", "naming"},
    "passes": {"events", "source", "census", "values"},
    "meetings": {"events", "source", "census", "naming", "values"},
    "notices": {"events", "source", "census", "values"},
    "results": {"events", "source", "census", "naming"},
    "recorder": RECORDING,
    "recording": RECORDING,
    "iterations": RECORDING | {"course", "recording"},
    "engine": RECORDING,
    "func": {"engine"},
    "autograd": RECORDING | {"engine", "func"},
    "amp": RECORDING | {"engine", "nn"},
    "linalg": {"engine"},
    "nn": RECORDING | {"engine", "autograd"},
    "compiler": RECORDING | {"engine", "nn"},
    "optim": RECORDING | {"engine", "autograd", "nn"},
    "utils": RECORDING | {"engine", "autograd"},
    "serialization": RECORDING | {"engine", "nn"},
    "parallel": {"engine", "autograd", "nn"},
    "torch_bridge": RECORDING | {"iterations"},
    "afterwards": {"trace", "recorder", "torch_bridge"},
    "view": FACTS | {"course"},
}
BACK_ROOMS = {"cli", "__main__", "demos", "lessons", "memory", "vote"}
"""They import what they like; who imports them is one of them. `__main__` alone opens `cli`."""

DRAWING = ["view.timeline", "view.scene", "view.svg", "view.png"]
"""Each may import those before it, never those after it."""

OUTSIDE = {"events": set(), "trace": set(), "engine": {"numpy", "ml_dtypes"}}
"""The packages that these rooms may import beside the standard library; elsewhere only torch is kept out."""
USERS_OF_TORCH = {"torch_bridge", "lessons"}

BANNED_WORDS = {"utils", "util", "helpers", "helper", "manager", "handler", "info", "data", "process", "misc"}
NAMED_BY_PYTORCH = {
    "DataLoader",
    "LogSoftmaxBackwardDataBackward0",
    "SoftmaxBackwardDataBackward0",
    "data",  # tensor.data and torch.utils.data
    "data_ptr",
    "utils",  # torch.utils and torch.nn.utils
}

LONG_FUNCTION, TOO_LONG_FUNCTION = 25, 60
LONG_FILE, TOO_LONG_FILE = 250, 400
LONG_ON_PURPOSE = {
    "events": "the contract between engines and views is one file",
    "torch_bridge.internals": "what is read of PyTorch's internals is one file",
    FRONT_DOOR: "it is the list of all that there is",
}
LISTS_OF_QUESTIONS = re.compile(r"lessons\.(lesson\d\d|survey)")
"""Mostly prose, and as long as a lesson needs."""


@dataclass(frozen=True)
class Source:
    """One file of the house, as text; nothing is run. Its name is the dotted one below `autograd_lab`."""

    path: Path

    @cached_property
    def name(self) -> str:
        return ".".join(self.path.relative_to(HOUSE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")

    @cached_property
    def room(self) -> str:
        return self.name.partition(".")[0]

    @cached_property
    def lines(self) -> list[str]:
        return self.path.read_text(encoding="utf-8").splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse("\n".join(self.lines))

    def __str__(self) -> str:
        return self.path.relative_to(HOUSE.parent).as_posix()


@dataclass(frozen=True)
class Import:
    """`target` is a dotted name below `autograd_lab` if `ours`, else the name of a package from outside."""

    source: Source
    line: int
    target: str
    ours: bool
    only_for_types: bool

    @property
    def room(self) -> str:
        return self.target.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.source}:{self.line} imports {self.target or 'the front door, autograd_lab itself'}"


SOURCES = {source.name: source for source in map(Source, sorted(HOUSE.rglob("*.py")))}


def imports_of(source: Source) -> Iterator[Import]:
    guarded = set(nodes_for_types(source.tree))
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in imported_names(source, node):
                yield import_named(source, node.lineno, name, only_for_types=node in guarded)


def nodes_for_types(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for statement in node.body:
                yield from ast.walk(statement)


def imported_names(source: Source, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The full dotted name of each thing imported, whether a module or something in one."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    parts: list[str] = []
    if node.level:
        package = [HOUSE.name, *source.path.relative_to(HOUSE).parent.parts]
        parts = package[: len(package) - node.level + 1]
    parts += node.module.split(".") if node.module else []
    yield from (".".join([*parts, alias.name]) for alias in node.names)


def import_named(source: Source, line: int, name: str, *, only_for_types: bool) -> Import:
    top, _, below = name.partition(".")
    if top != HOUSE.name:
        return Import(source, line, top, False, only_for_types)
    while below and below not in SOURCES:
        below = below.rpartition(".")[0]
    return Import(source, line, below, True, only_for_types)


IMPORTS = [found for source in SOURCES.values() for found in imports_of(source)]
WITHIN = [found for found in IMPORTS if found.ours]
FROM_OUTSIDE = [found for found in IMPORTS if not found.ours and found.room not in sys.stdlib_module_names]


def assert_none(offences: list[str], remedy: str) -> None:
    assert not offences, "\n".join([remedy, *offences])


def test_rooms_import_one_way() -> None:
    offences = [
        f"{found}; {found.source.room} may import {sorted(allowed) or 'nothing of the house'}"
        for found in WITHIN
        if (allowed := MAY_IMPORT.get(found.source.room)) is not None
        and found.room not in {*allowed, found.source.room}
    ]
    assert_none(offences, "turn the dependence round, or give the new room its line in MAY_IMPORT:")


def test_nothing_imports_the_back_rooms_or_the_front_door() -> None:
    offences = [
        str(found)
        for found in WITHIN
        if found.room in {*BACK_ROOMS, FRONT_DOOR}
        and found.source.room not in {"__main__", found.room}
        and not found.only_for_types
        and not (found.source.room in BACK_ROOMS and found.room in BACK_ROOMS - {"cli", "__main__"})
        and not (found.room == FRONT_DOOR and found.source.room in {*BACK_ROOMS, "examples"})
    ]
    assert_none(offences, "import from the module that defines the name:")


def test_drawing_imports_one_way() -> None:
    offences = [
        str(found)
        for found in WITHIN
        if found.source.name in DRAWING and found.target in DRAWING[DRAWING.index(found.source.name) + 1 :]
    ]
    assert_none(offences, f"the order is {' <- '.join(DRAWING)}:")


def test_no_imports_go_round_in_a_circle() -> None:
    """Imports inside functions count, since they only hide a circle; those under TYPE_CHECKING do not."""
    graph: dict[str, set[str]] = {name: set() for name in SOURCES}
    for found in WITHIN:
        if not found.only_for_types and found.target != found.source.name:
            graph[found.source.name].add(found.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("a circle of imports: " + " <- ".join(error.args[1]))


def test_few_rooms_know_the_world_outside() -> None:
    offences = [
        str(found)
        for found in FROM_OUTSIDE
        if found.room not in OUTSIDE.get(found.source.room, {found.room})
        or (found.room == "torch" and found.source.room not in USERS_OF_TORCH)
    ]
    assert_none(offences, "these rooms do without:")


def test_front_door_lists_its_names_sorted_and_truly() -> None:
    if FRONT_DOOR not in SOURCES:
        return  # a house still without one is a namespace package, with nothing to list
    house = importlib.import_module(HOUSE.name)
    assert house.__all__ == sorted(set(house.__all__), key=place_in_all)
    assert_none([name for name in house.__all__ if not hasattr(house, name)], "in __all__, but not there:")
    assert_none([name for name in dir(house) if name not in house.__all__ and name[:2] != "__"], "offered, not listed:")


def place_in_all(name: str) -> tuple[int, list[str | int]]:
    """The order that ruff keeps: constants, classes, the rest; numbers in names by their size.

    >>> sorted(["log10", "log2", "Size", "T", "SGD", "full_like", "full"], key=place_in_all)
    ['SGD', 'Size', 'T', 'full', 'full_like', 'log2', 'log10']
    """
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def words(name: str) -> set[str]:
    """
    >>> sorted(words("EventHandler2")), sorted(words("_node_info"))
    (['event', 'handler'], ['info', 'node'])
    """
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def definitions(source: Source) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def test_names_say_what_a_thing_is() -> None:
    named = [(str(source), source.name.rpartition(".")[2]) for source in SOURCES.values()]
    named += [(f"{source}:{node.lineno}", node.name) for source in SOURCES.values() for node in definitions(source)]
    offences = [
        f"{place} {name}" for place, name in named if name not in NAMED_BY_PYTORCH and words(name) & BANNED_WORDS
    ]
    assert_none(offences, f"find a noun that says more than {sorted(BANNED_WORDS)}:")


def function_sizes() -> dict[str, int]:
    """Lines of each function, from `def` to its end, without its docstring."""
    return {
        f"{source}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1 - docstring_size(node)
        for source in SOURCES.values()
        for node in definitions(source)
        if not isinstance(node, ast.ClassDef)
    }


def docstring_size(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first = node.body[0]
    return (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(node) is not None else 0


def over(sizes: dict[str, int], limit: int) -> list[str]:
    long = sorted(((size, name) for name, size in sizes.items() if size > limit), reverse=True)
    return [f"  {size:4} lines  {name}" for size, name in long]


def test_functions_fit_a_screen() -> None:
    assert_none(over(function_sizes(), TOO_LONG_FUNCTION), f"functions over {TOO_LONG_FUNCTION} lines:")


def test_files_are_read_in_one_sitting() -> None:
    short = [source for source in SOURCES.values() if source.name not in LONG_ON_PURPOSE]
    sizes = {str(source): len(source.lines) for source in short if not LISTS_OF_QUESTIONS.fullmatch(source.name)}
    assert_none(over(sizes, TOO_LONG_FILE), f"files over {TOO_LONG_FILE} lines:")


def test_long_functions_and_files_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """No limit here, only light: on stderr, which parallel test runs pass on as well."""
    functions = over(function_sizes(), LONG_FUNCTION)
    files = over({str(source): len(source.lines) for source in SOURCES.values()}, LONG_FILE)
    with capsys.disabled():
        for title, long in [(f"functions over {LONG_FUNCTION} lines", functions), (f"files over {LONG_FILE}", files)]:
            print(f"\n{title}: {len(long)}", *long, sep="\n", file=sys.stderr)
