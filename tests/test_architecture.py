"""The house keeps its order: who may import whom, what things may be called, how long they may grow.

A *room* is a module or package at the top of `autograd_lab`, or in one of the three that are `DEEP`; the front door,
`__init__.py`, is the room `""`. Whoever builds a new room for the rooms of `MAY_IMPORT` to use gives it a line there,
and so has to think where it stands.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
HOUSE = TESTS.parent / "autograd_lab"
FRONT_DOOR = ""
DEEP = {"engine", "compiler", "view"}
"""What stands in these is a room of its own: `view.graph` is one, `view.scene` another."""

GROUND = {"events", "listening", "whose"}
RECORDED = GROUND | {"trace", "findings", "recording"}
ENGINE = {
    "listening",
    "whose",
    *(
        f"engine.{room}"
        for room in ("core", "draws", "errors", "exact", "kernels", "modes", "numbers", "ops", "special", "tensor")
    ),
}
DRAWN = {
    "events",
    "trace",
    "view.kit",
    "view.layout",
    "view.graph",
    "view.compiled",
    "view.charts",
    "view.abstract_scene",
    "view.recorded_scene",
    "view.scene",
    "view.track",
    "view.motion",
    "view.subject",
}
"""What draws scenes may import all of this."""

MAY_IMPORT = {
    "events": set(),
    "listening": set(),
    "whose": set(),
    "trace": {"events"},
    "findings": {"events", "trace"},
    "recording": GROUND | {"trace", "findings"},
    "torch_bridge": RECORDED,
    "engine.numbers": set(),
    "engine.special": {"engine.numbers", "engine.kernels"},
    "engine.kernels": {"engine.numbers"},
    "engine.draws": {"engine.numbers", "engine.special"},
    "engine.modes": {"listening"},
    "engine.errors": {"engine.numbers", "listening", "whose", "events", "recording"},
    "engine.core": {"engine.errors", "engine.kernels", "engine.modes", "engine.numbers", "listening", "whose"},
    "engine.exact": ENGINE - {"engine.ops", "engine.tensor"},
    "engine.ops": ENGINE - {"engine.tensor"},
    "engine.forward": ENGINE,
    "engine.tensor": ENGINE,
    "func": ENGINE,
    "distributions": ENGINE | {"autograd", "linalg"},
    "linalg": ENGINE,
    "autograd": ENGINE | {"func"},
    "nn": ENGINE | {"autograd", "elsewhere"},
    "amp": ENGINE | {"nn"},
    "optim": ENGINE | {"autograd", "nn"},
    "utils": ENGINE | {"autograd"},
    "random": ENGINE,
    "elsewhere": set(),
    "serialization": ENGINE | {"nn", "trace"},
    "testing": RECORDED | ENGINE | {"autograd", "view.kit"},
    "parallel": ENGINE | {"autograd", "nn"},
    "compiler.kernel": ENGINE,
    "compiler.graph": ENGINE | {"compiler.kernel"},
    "compiler.program": ENGINE | {"events", "compiler.graph", "compiler.kernel"},
    "compiler.passes": {"compiler.graph", "compiler.kernel", "compiler.program"},
    "compiler.capture": ENGINE | {"compiler.graph", "compiler.kernel", "nn", "recording"},
    "view.languages": set(),
    "view.kit": {"events", "view.languages"},
    "view.layout": {"view.kit"},
    "view.charts": {"events", "trace", "view.kit", "view.languages"},
    "view.subject": {"events", "view.kit"},
    "view.graph": {"events", "trace", "view.languages", "view.kit", "view.layout", "view.subject"},
    "view.track": {"events", "view.kit", "view.subject"},
    "view.motion": {"events", "view.kit", "view.layout", "view.graph", "view.track"},
    "view.abstract_scene": {"events", "trace", "view.kit", "view.layout", "view.subject", "view.track"},
    "view.compiled": {
        "events",
        "trace",
        "view.languages",
        "view.kit",
        "view.layout",
        "view.subject",
        "view.abstract_scene",
    },
    "view.slide": {"view.kit", "view.languages"},
    "view.still": {
        "events",
        "trace",
        "view.languages",
        "view.kit",
        "view.layout",
        "view.graph",
        "view.charts",
        "view.subject",
        "view.slide",
    },
    "view.large_sheet": {"trace", "view.kit", "view.graph", "view.slide", "view.still"},
    "view.recorded_scene": {"trace", "view.kit", "view.graph", "view.abstract_scene", "view.still", "view.large_sheet"},
    "view.scene": {"trace", "view.kit", "view.layout", "view.abstract_scene", "view.recorded_scene", "view.compiled"},
    "view.svg": DRAWN,
    "view.png": {"view.kit"},
    "view.alternative_text": set(),
    "view.pdf": {"view.kit", "view.png", "view.alternative_text"},
    "view.picture_file": {"view.kit", "view.png", "view.pdf", "view.alternative_text"},
    "view.pages": DRAWN | {"findings", "view.languages", "view.svg", "view.png", "view.still"},
    "view.viewers": {"events", "trace", "view.charts"},
    "view.compare": DRAWN | {"view.languages", "view.slide", "view.svg", "view.png", "view.pages"},
    "view.movie": DRAWN | {"view.svg", "view.png"},
    "view.torchviz": DRAWN | {"view.png"},
    "view.page": DRAWN | {"findings", "view.languages", "view.pages", "view.compare"},
}
"""Which rooms each may import. `display`, `notebook` and the back rooms import what they like."""
BACK_ROOMS = {"commands", "__main__", "classroom", "lessons", "memory", "sphinxext", "trainers"}
"""They import what they like; who imports them is one of them. `__main__` alone opens `commands`."""

DRAWING = ["view.graph.facts.timeline", "view.scene", "view.svg", "view.png"]
"""Each may import those before it, never those after it."""

OUTSIDE = {
    **{room: set() for room in ("events", "trace", "listening", "whose")},
    **{room: {"numpy", "ml_dtypes"} for room in ENGINE if "." in room},
}
"""The packages that these rooms may import beside the standard library; elsewhere only torch is kept out."""
USERS_OF_TORCH = {"torch_bridge", "lessons", "trainers"}

BANNED_WORDS = {"utils", "util", "helpers", "helper", "manager", "handler", "info", "data", "process", "misc"}
NAMED_BY_PYTORCH = {
    "const_data_ptr",
    "skip_data",
    "DataLoader",
    "DataParallel",
    "get_worker_info",
    "swa_utils",
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
PROSE = {"lessons", "examples"}
"""Folders with a file for each lesson, or each example."""
TWINS_OF_PYTORCH = {
    "nn", "autograd", "optim", "utils", "amp", "backends", "linalg", "func", "cuda", "serialization", "distributions",
    "random", "testing",
}  # fmt: skip
"""Rooms that PyTorch has, in which files are called what it calls them, however many there are."""
TYPED_BY_USERS = {"commands", "examples"}
"""Rooms in which a file is called what users type."""
LISTS_OF_QUESTIONS = re.compile(r"lessons\.(lesson\d\d|survey)")
"""Mostly prose, and as long as a lesson needs."""


def room_of(name: str) -> str:
    """
    >>> room_of("view.graph.look"), room_of("recording.recorder"), room_of("view.scene")
    ('view.graph', 'recording', 'view.scene')
    """
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] in DEEP else parts[0]


def folder_of(name: str) -> str:
    """As the room, but each kind of op stands for itself.

    >>> folder_of("engine.ops.shape.views"), folder_of("engine.core.node")
    ('engine.ops.shape', 'engine.core')
    """
    return ".".join(name.split(".")[:3]) if name.startswith("engine.ops.") else room_of(name)


@dataclass(frozen=True)
class Source:
    """One file of the house, as text; nothing is run. Its name is the dotted one below `autograd_lab`."""

    path: Path

    @cached_property
    def name(self) -> str:
        return ".".join(self.path.relative_to(HOUSE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")

    @cached_property
    def room(self) -> str:
        return room_of(self.name)

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
        return room_of(self.target) if self.ours else self.target

    def __str__(self) -> str:
        return f"{self.source}:{self.line} imports {self.target or 'the front door, autograd_lab itself'}"


SOURCES = {source.name: source for source in map(Source, sorted(HOUSE.rglob("*.py")))}


def imports_of(source: Source) -> Iterator[Import]:
    nodes = list(ast.walk(source.tree))
    guarded = set(nodes_for_types(nodes))
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in imported_names(source, node):
                yield import_named(source, node.lineno, name, only_for_types=node in guarded)


def nodes_for_types(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
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


@cache
def imports() -> list[Import]:
    """Found by whoever runs these tests; every worker imports this file, and to read all sources takes seconds."""
    return [found for source in SOURCES.values() for found in imports_of(source)]


def within() -> list[Import]:
    return [found for found in imports() if found.ours]


def from_outside() -> list[Import]:
    return [found for found in imports() if not found.ours and found.room not in sys.stdlib_module_names]


def assert_none(offences: list[str], remedy: str) -> None:
    assert not offences, "\n".join([remedy, *offences])


def test_rooms_import_one_way() -> None:
    offences = [
        f"{found}; {found.source.room} may import {sorted(allowed) or 'nothing of the house'}"
        for found in within()
        if (allowed := MAY_IMPORT.get(found.source.room)) is not None
        and found.room not in {*allowed, found.source.room}
        and not found.only_for_types
    ]
    assert_none(offences, "turn the dependence round, or give the new room its line in MAY_IMPORT:")


def test_nothing_imports_the_back_rooms_or_the_front_door() -> None:
    offences = [
        str(found)
        for found in within()
        if found.room in {*BACK_ROOMS, FRONT_DOOR}
        and found.source.room not in {"__main__", found.room}
        and not found.only_for_types
        and not (found.source.room in BACK_ROOMS and found.room in BACK_ROOMS - {"commands", "__main__"})
        and not (found.room == FRONT_DOOR and found.source.room in {*BACK_ROOMS, "examples"})
    ]
    assert_none(offences, "import from the module that defines the name:")


def test_drawing_imports_one_way() -> None:
    offences = [
        str(found)
        for found in within()
        if found.source.name in DRAWING and found.target in DRAWING[DRAWING.index(found.source.name) + 1 :]
    ]
    assert_none(offences, f"the order is {' <- '.join(DRAWING)}:")


@pytest.mark.parametrize("depth", ["file", "room", "folder of ops"])
def test_no_imports_go_round_in_a_circle(depth: str) -> None:
    """Imports inside functions count, since they only hide a circle; those under TYPE_CHECKING do not."""
    place = {"file": str, "room": room_of, "folder of ops": folder_of}[depth]
    graph: dict[str, set[str]] = {place(name): set() for name in SOURCES}
    for found in within():
        if not found.only_for_types and place(found.target) != place(found.source.name):
            graph[place(found.source.name)].add(place(found.target))
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle, each imported by the next {depth}: " + " <- ".join(error.args[1]))


def test_few_rooms_know_the_world_outside() -> None:
    offences = [
        str(found)
        for found in from_outside()
        if found.room not in OUTSIDE.get(found.source.room, {found.room})
        or (found.room == "torch" and found.source.room not in USERS_OF_TORCH)
    ]
    assert_none(offences, "these rooms do without:")


def test_front_door_lists_its_names_sorted_and_truly() -> None:
    if FRONT_DOOR not in SOURCES:
        return  # a house still without one is a namespace package, with nothing to list
    house = importlib.import_module(HOUSE.name)
    assert house.__all__ == sorted(set(house.__all__))
    assert_none([name for name in house.__all__ if not hasattr(house, name)], "in __all__, but not there:")
    assert_none([name for name in dir(house) if name not in house.__all__ and name[:2] != "__"], "offered, not listed:")


OPS = "engine.ops"
NODES_NAMED = {
    "engine.tensor.inplace_methods": "the methods that write are made of them",
    "engine.tensor.tensor": "the operators are methods that waste no call",
    "engine.forward.push": "one node more, which is an alias",
    "view.kit.formula": "what is said of some; held to the engine by a test",
    "view.charts.lane_chart": "the most common name of all, to measure how wide it is",
}
"""Who else may name a node class of an op, and why a new op does without. The lessons speak of some, too."""


def nodes_named_in(source: Source, names: set[str]) -> set[str]:
    """The names among these that the code of a file has, or one of its texts; docstrings may name what they like."""
    found: set[str] = set()
    prose = {id(node.value) for node in ast.walk(source.tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            found |= set(re.findall(r"\w+", node.value))
        found |= {getattr(node, "id", ""), getattr(node, "attr", "")} - {""}
    return found & names


def test_a_new_op_stands_in_three_places() -> None:
    """Its class and function in `engine/ops`, its line among the methods, and its line in a test: all that is known
    of an op is declared on its class, and nobody else keeps a list of them.
    """
    classes = {node.name for source in SOURCES.values() if source.room == OPS for node in definitions(source)}
    nodes = {name for name in classes if re.search(r"Backwards?\d*$", name)}
    short = {re.sub(r"Backwards?\d*$", "", name) for name in nodes}
    offences = []
    for source in SOURCES.values():
        if source.room != OPS and source.room not in PROSE and source.name not in NODES_NAMED:
            offences += [f"{source} names {name}" for name in nodes_named_in(source, nodes)]
            if source.room.startswith("engine.") and len(listed := nodes_named_in(source, short)) > 4:
                offences.append(f"{source} lists {sorted(listed)}")
    assert_none(offences, "let the class of the op declare it:")
    assert all(nodes_named_in(SOURCES[name], nodes) for name in NODES_NAMED), "no longer needed"


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


def closure(name: str) -> dict[str, int]:
    """The files that a file imports, and those that these do, with their lines; what waits in functions is not read."""
    found: dict[str, int] = {}
    waiting = [name]
    while waiting:
        each = SOURCES[waiting.pop()]
        if each.name not in found and each.name:
            found[each.name] = len(each.lines)
            inside = {id(node) for node in nodes_in_functions(each.tree)} | {
                id(n) for n in nodes_for_types(list(ast.walk(each.tree)))
            }
            for node in ast.walk(each.tree):
                if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in inside:
                    targets = [import_named(each, 0, full, only_for_types=False) for full in imported_names(each, node)]
                    waiting += [target.target for target in targets if target.ours]
    return found


def nodes_in_functions(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from ast.walk(node)


def house_figures() -> dict[str, tuple[int, int]]:
    """What of the house has a limit: how much it is today, and how much it may be."""
    names = {source.name.partition(".")[0] or "__init__" for source in SOURCES.values()}
    folders: dict[Path, int] = {}
    for source in SOURCES.values():
        folders[source.path.parent] = folders.get(source.path.parent, 0) + 1
    flat = {
        folder: count
        for folder, count in folders.items()
        if folder.name not in PROSE | TWINS_OF_PYTORCH | TYPED_BY_USERS
    }
    stems = [source.path.stem for source in SOURCES.values() if source.room not in TWINS_OF_PYTORCH | TYPED_BY_USERS]
    twice = {stem for stem in stems if stems.count(stem) > 1 and not stem.startswith("__")}
    core = [source for source in SOURCES.values() if source.room == "engine.core"]
    followed = closure("engine.core.backward")
    return {
        "names of ours at the root": (len(names - TWINS_OF_PYTORCH), 25),
        "files in the largest folder": (max(flat.values()), 25),
        "lines of engine/core": (sum(len(source.lines) for source in core), 1500),
        "files to follow engine/core/backward.py": (len(followed), 14),
        "lines of those": (sum(followed.values()), 3300),
        "lines of the front door": (len(SOURCES[FRONT_DOOR].lines), 200),
        "file names that occur twice": (len(twice), 15),
        "test files in the largest room": (max(Counter(path.parent for path in TESTS.rglob("test_*.py")).values()), 25),
    }


def test_the_house_keeps_its_limits(capsys: pytest.CaptureFixture[str]) -> None:
    figures = house_figures()
    with capsys.disabled():
        print(
            "",
            *(f"  {now:6,} of {most:5,}  {what}" for what, (now, most) in figures.items()),
            sep="\n",
            file=sys.stderr,
        )
    assert_none([f"{what}: {now}, of {most} at most" for what, (now, most) in figures.items() if now > most], "beyond:")


def test_long_functions_and_files_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """No limit here, only light: on stderr, which parallel test runs pass on as well."""
    functions = over(function_sizes(), LONG_FUNCTION)
    files = over({str(source): len(source.lines) for source in SOURCES.values()}, LONG_FILE)
    with capsys.disabled():
        for title, long in [(f"functions over {LONG_FUNCTION} lines", functions), (f"files over {LONG_FILE}", files)]:
            print(f"\n{title}: {len(long)}", *long, sep="\n", file=sys.stderr)
