"""Real `torch.compile`: the graphs that Dynamo captures, as traces of compilations, and where and why it stopped.

While one listens, whatever is compiled is captured by Dynamo and then run as it was captured, by PyTorch's own ops.
"""

from __future__ import annotations

import functools
import linecache
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from autograd_lab import events as e
from autograd_lab.trace import Trace
from autograd_lab.whose import is_users

FRAME = re.compile(r'File "(.+)", line (\d+), in (.+)\n')
RETURNED = "return_value"
"""The reason that Dynamo gives for a graph that comes to the end of its function."""


RESUMED = re.compile(r"torch_dynamo_resume_in_(\w+)_at_(\d+)")
"""What Dynamo calls the rest of a function after a break."""
REASONS = {"generic_jump": "a branch on a tensor's value: Python goes one way or the other"}
"""What it means by words of its own."""


@dataclass(frozen=True)
class Piece:
    """A graph that was captured: its trace, its Python, its function; why it ends before that does, and where."""

    trace: Trace
    code: str
    function: str
    operations: int
    reason: str
    where: e.Where | None


@contextmanager
def captured() -> Iterator[list[Piece]]:
    """What `torch.compile` captures inside, in order. Raises AttributeError with a PyTorch that has no Dynamo."""
    original, pieces = torch.compile, list[Piece]()

    def take(module: Any, _: Any) -> Any:
        pieces.append(_piece(module))
        return module.forward

    @functools.wraps(original)
    def compile(model: Any = None, **options: Any) -> Any:
        if model is None:
            return lambda model: compile(model, **options)
        kept = {name: options[name] for name in ("fullgraph", "dynamic", "disable") if name in options}
        return original(model, backend=take, **kept)

    torch._dynamo.reset()
    torch.compile = compile
    try:
        yield pieces
    finally:
        torch.compile = original
        torch._dynamo.reset()


def _piece(module: Any) -> Piece:
    graph = _Graph(module)
    ended = getattr(module, "compile_subgraph_reason", None)
    is_broken = ended is not None and ended.graph_break and ended.reason != RETURNED
    reason = _reason(ended.reason) if ended is not None and is_broken else ""
    frames = [(each.filename, each.lineno or 0) for each in (ended.user_stack or ())] if ended is not None else []
    where = next((_where(file, line, graph.files) for file, line in reversed(frames) if is_users(file)), None)
    events = [*graph.events(), *([e.GraphBroken(reason=reason, where=where)] if reason else [])]
    count = sum(isinstance(event, e.OperationCaptured) for event in events)
    trace = Trace(events, graph.files, f"torch {torch.__version__}")
    return Piece(trace, module.code.strip(), graph.function, count, reason, where)


def _reason(said: str) -> str:
    """Why a graph ends, in a line."""
    meant = (words for name, words in REASONS.items() if said.startswith(name))
    return next(meant, " ".join(said.split("\n")[0].split()))


def _where(file: str, line: int, files: dict[str, str]) -> e.Where:
    name = os.path.basename(file)
    files.setdefault(name, "".join(linecache.getlines(file)))
    return e.Where(file=name, line=line, text=linecache.getline(file, line).strip())


class _Graph:
    """A graph of FX, told as a compilation. `_arrays` are what a node makes."""

    def __init__(self, module: Any) -> None:
        self._nodes = list(module.graph.nodes)
        self.files: dict[str, str] = {}
        self._arrays: dict[Any, list[e.ArrayFacts]] = {}
        self._count = 0
        self._wheres = {node: self._place(node) for node in self._nodes}
        self.function = next((found for node in self._nodes if (found := _function_of(node))), "a function")

    def events(self) -> Iterator[e.Event]:
        yield e.FunctionCaptured(function=self.function, of="PyTorch call")
        for node in self._nodes:
            if node.op in ("placeholder", "get_attr"):
                for array in self._made(node):
                    yield e.InputDeclared(array=array)
        called = [node for node in self._nodes if node.op.startswith("call_")]
        most = 0
        for number, (node, live) in enumerate(zip(called, self._live(called), strict=True)):
            most = max(most, live)
            operation = self._operation(f"k{number}", node)
            yield e.OperationCaptured(operation=operation, live=live, where=self._wheres[node])
        results = [array for node in self._nodes if node.op == "output" for array in self._taken(node)]
        for number, result in enumerate(results):
            yield e.OutputNamed(array=result, purpose="result" if len(results) == 1 else f"result {number + 1}")
        yield e.PassFinished(name="captured", operations=len(called), nbytes=most)

    def _place(self, node: Any) -> e.Where | None:
        frames = FRAME.findall(node.stack_trace or "")
        users = [(file, int(line)) for file, line, _ in frames if is_users(file)]
        return _where(users[-1][0], users[-1][1], self.files) if users else None

    def _operation(self, name: str, node: Any) -> e.OperationFacts:
        title = f"{_called(node)}({', '.join(_argument(each) for each in node.args)})"
        return e.OperationFacts(
            id=name, title=title, operands=tuple(self._taken(node)), results=tuple(self._made(node))
        )

    def _taken(self, node: Any) -> list[str]:
        if _is_part(node) and isinstance(node.args[1], int):
            return [self._arrays[node.args[0]][node.args[1]].id]
        return [array.id for each in node.all_input_nodes for array in self._arrays.get(each, ())]

    def _made(self, node: Any) -> list[e.ArrayFacts]:
        """What a node makes; inputs, and parts of what is there, have no memory of their own."""
        if node not in self._arrays:
            value = node.meta.get("example_value")
            parts = list(value) if isinstance(value, tuple | list) else [value]
            name = _spelled(node)
            names = [name] if len(parts) == 1 else [f"{name}[{at}]" for at in range(len(parts))]
            is_view = not node.op.startswith("call_") or _is_part(node)
            ids = [f"a{self._count + at}" for at in range(len(parts))]
            self._count += len(parts)
            self._arrays[node] = [_array(*each, is_view) for each in zip(ids, names, parts, strict=True)]
        return self._arrays[node]

    def _live(self, called: list[Any]) -> Iterator[int]:
        """The bytes in use after each call, if each array goes after its last use; read as the calls are told."""
        last = {used: node for node in self._nodes for used in node.all_input_nodes}
        there: dict[Any, int] = {}
        for node in called:
            there[node] = sum(array.nbytes for array in self._made(node))
            yield sum(there.values())
            there = {each: size for each, size in there.items() if last.get(each) is not node}


def _array(identity: str, name: str, value: Any, is_view: bool) -> e.ArrayFacts:
    if not isinstance(value, torch.Tensor):
        return e.ArrayFacts(id=identity, name=name, shape=(), dtype=type(value).__name__, nbytes=0)
    shape = tuple(int(size) for size in value.shape)
    nbytes = 0 if is_view else value.numel() * value.element_size()
    dtype = str(value.dtype).removeprefix("torch.")
    return e.ArrayFacts(id=identity, name=name, shape=shape, dtype=dtype, nbytes=int(nbytes))


def _spelled(node: Any) -> str:
    """What the program calls an input, such as `model.0.weight`; of what was computed, the graph's own name."""
    source = getattr(node.meta.get("grapharg"), "source", None)
    name = getattr(source, "name", None)
    name = name() if callable(name) else name
    if not name:
        return str(node.name)
    return re.sub(
        r"^[GL]\['(\w+)'\]", r"\1", re.sub(r"\.?_(?:modules|parameters|buffers)\['(\w+)'\]", r".\1", str(name))
    )


def _is_part(node: Any) -> bool:
    """Whether a call only takes one of several results."""
    return getattr(node.target, "__name__", "") == "getitem" and isinstance(
        node.args[0].meta.get("example_value"), tuple | list
    )


def _called(node: Any) -> str:
    return str(getattr(node.target, "__name__", node.target)).rpartition(".")[2]


def _argument(argument: Any) -> str:
    return "·" if isinstance(argument, torch.fx.Node) else str(argument)[:20]


def _function_of(node: Any) -> str:
    users: Callable[[str], bool] = is_users
    named = (name for file, _, name in reversed(FRAME.findall(node.stack_trace or "")) if users(file))
    return RESUMED.sub(r"\1 from line \2 on", next(named, ""))
