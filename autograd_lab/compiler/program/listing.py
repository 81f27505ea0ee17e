"""The listing: a graph as a Python function, one numpy call a line, with the line of the program that each is for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograd_lab.compiler.graph import NOWHERE, Constant, Graph, Operation, Value
from autograd_lab.compiler.kernel import CAST, CHECK, COPY, ITEM, UPDATE, Kernel, subscript, written
from autograd_lab.compiler.program.buffers import Plan, is_placed
from autograd_lab.compiler.program.tiles import Loop, loop_of

INDENT = "    "
Line = tuple[str, Operation | None]
"""A line of Python, and the operation that it is for."""
WRITABLE = (Value, int, float, str, bytes, type(None), type(Ellipsis))


@dataclass(frozen=True)
class Listing:
    """A Python function as text, and what the names in it mean that are neither its arguments nor its variables.

    `standing` are the views of buffers that are made once, in their order; `loops` go over the tiles of large arrays.
    `owners` has for each line the operation that it is for, if it is for one.
    """

    name: str
    text: str
    names: dict[str, Any]
    standing: tuple[Operation, ...]
    loops: tuple[Loop, ...]
    owners: tuple[Operation | None, ...]

    def __str__(self) -> str:
        return self.text


def listed(name: str, graph: Graph, plan: Plan, writes: dict[Value, Value]) -> Listing:
    """The function that computes a graph: it puts the outputs in `writes` into inputs, and returns the others."""
    standing = tuple(standing_views(graph, plan))
    names: dict[str, Any] = {}
    loops: list[Loop] = []
    body: list[Line] = []
    for step, each in enumerate(graph.operations):
        if each in standing:
            continue
        if each.body:
            loops.append(loop_of(f"tiles{len(loops)}", each))
            body += loop_lines(loops[-1], each, plan, names)
        else:
            body += [(line, each) for line in lines_of(each, plan, names)]
        if gone := plan.dropped.get(step):
            body.append((f"del {', '.join(map(str, gone))}", None))
    for value, target in writes.items():
        if value not in plan.onto:
            body.append((f"copyto({target}, {place(value, plan)})", None))
            names["copyto"] = np.copyto
    results = [None if one is None else place(one, plan) for one in graph.outputs if one not in writes]
    body.append((f"return ({''.join(f'{one}, ' for one in results)})", None))
    known = [one for each in graph.operations for part in (each, *each.body) for one in part.operands]
    names |= {one.name: one.array for one in (*known, *graph.outputs) if isinstance(one, Constant)}
    views = [f"{INDENT}# {each.result}: {each.call}, a view made once" for each in standing]
    head = [f"def {name}({', '.join(map(str, graph.inputs))}):", *_constants(names), *views]
    lines: list[Line] = [*((line, None) for line in head), *_commented(body)]
    text = "\n".join(line for line, _ in lines) + "\n"
    return Listing(name, text, names, standing, tuple(loops), tuple(operation for _, operation in lines))


def _constants(names: dict[str, Any]) -> Iterator[str]:
    """What the constants are, in comments."""
    for name, array in names.items():
        if isinstance(array, np.ndarray):
            one = array.size > 0 and bool((array == array.flat[0]).all())
            says = f"{array.flat[0]:g} throughout" if one else "known beforehand"
            kind = f"{array.dtype}[{', '.join(map(str, array.shape))}], {says}" if array.ndim else f"{array.item()!r}"
            yield f"{INDENT}# {name}: {kind}"


def standing_views(graph: Graph, plan: Plan) -> Iterator[Operation]:
    """The views that are of buffers, or of views of them: made once, they show whatever is there."""
    there = set(plan.homes)
    for each in graph.operations:
        known = all(one in there or isinstance(one, Constant) for one in each.operands)
        if each.kernel.view and each.args[0] in there and known:
            there.update(each.results)
            yield each


def place(value: Value, plan: Plan) -> str:
    """The name of the array that a value is in."""
    return str(plan.onto.get(value, value))


def lines_of(operation: Operation, plan: Plan, names: dict[str, Any]) -> list[str]:
    """One operation in Python; what its names mean is added to `names`."""
    kernel = operation.kernel
    operation = operation.taking(lambda value: plan.onto.get(value, value))
    out = ""
    if is_placed(operation) and (operation.result in plan.homes or operation.result in plan.onto):
        out = place(operation.result, plan)
    if kernel is CHECK:
        names["check"] = CHECK.run
        value, reader, expected = operation.args
        return [f"check({value}, {reader!r}, {expected!r})"]
    if kernel is UPDATE:
        return _update(operation, out, names)
    if kernel in (CAST, COPY) and out:
        names["copyto"] = np.copyto
        how = ", casting='unsafe'" if kernel is CAST else ""
        return [f"copyto({out}, {operation.args[0]}{how})"]
    kernel = _named(kernel, names)
    call = kernel.spelled(spelled(operation.args, names), spelled(operation.options, names), out)
    made = ", ".join(map(str, operation.results)) + "," * (len(operation.results) == 1 and kernel.opaque)
    made += "[...]" * (not out and operation.results[0] in plan.onto)
    return [call if out else f"{made} = {call}"]


def _named(kernel: Kernel, names: dict[str, Any]) -> Kernel:
    """The kernel, by a name that means nothing else in the listing: `exp` is not always computed in the same way."""
    if kernel.binding is None:
        return kernel
    name, meant = kernel.binding
    if names.setdefault(name, meant) is not meant:
        return _named(replace(kernel, name=f"{kernel.name}_"), names)
    return kernel


def loop_lines(loop: Loop, operation: Operation, plan: Plan, names: dict[str, Any]) -> Iterator[tuple[str, Operation]]:
    """A fused operation as a loop over tiles, in which each line computes a stretch."""
    inner = replace(loop.plan, onto=plan.onto | loop.plan.onto)
    for value in operation.results:
        if value not in plan.homes:
            names |= {"empty": np.empty, str(value.dtype): value.dtype}
            yield f"{value} = empty({value.shape}, {value.dtype})", operation
    places = [f"{value}_at" for value in loop.across]
    parts = "".join(f", {one}" for one in (*places, *loop.plan.homes, *loop.spread.values()))
    unit = ("element" if loop.axis == len(loop.shape) - 1 else "row") + "s" * (loop.rows > 1)
    yield f"# {loop.count:,} tile{'s' * (loop.count > 1)} of {loop.rows:,} {unit}", operation
    yield f"for part{parts}{',' * (not parts)} in {loop.name}:", operation
    for constant, value in loop.spread.items():
        yield f"{INDENT}# {value}: {constant} throughout, which numpy compares faster", operation
    for value in (*loop.sliced, *operation.results):
        whole = place(value, plan) + ".reshape(-1)" * (loop.flat and len(value.shape) > 1)
        yield f"{INDENT}{value}_part = {whole}[part]", operation
    for value in loop.across:
        yield f"{INDENT}{value}_part = {place(value, plan)}[{value}_at]", operation
    for each in loop.tile.operations:
        for line in lines_of(each, inner, names):
            yield INDENT + line, each


@dataclass(frozen=True)
class Named:
    """An expression in the place of an argument."""

    name: str


def spelled(argument: Any, names: dict[str, Any]) -> Any:
    """The argument with a name in the place of whatever in it cannot be written; `names` says what each means."""
    if isinstance(argument, tuple | list) and not hasattr(argument, "_fields"):
        return type(argument)([spelled(one, names) for one in argument])
    if isinstance(argument, slice):
        return slice(*spelled((argument.start, argument.stop, argument.step), names))
    if isinstance(argument, WRITABLE) and argument == argument and argument not in (math.inf, -math.inf):
        return argument
    wanted = str(argument) if isinstance(argument, np.dtype | float) else f"{type(argument).__name__.lower()}_"
    name = wanted.replace("-", "minus_")
    while names.setdefault(name, argument) is not argument:
        name += "_"
    return Named(name)


def _update(operation: Operation, out: str, names: dict[str, Any]) -> list[str]:
    base, path, source = operation.args
    path = [(kernel, spelled(args, names), spelled(options, names)) for kernel, args, options in path]
    names |= dict([kernel.binding for kernel, _, _ in path if kernel.binding is not None])
    source = spelled(source, names)
    target = out or str(operation.result)
    lines = []
    if not out:
        names["array"] = np.array
        lines.append(f"{target} = array({base})")
    elif out != str(base):
        names["copyto"] = np.copyto
        lines.append(f"copyto({target}, {base})")
    expression = target
    for kernel, args, options in path[:-1]:
        expression = kernel.spelled((Named(expression), *args), options)
    if path and path[-1][0] is ITEM:
        return [*lines, f"{expression}[{subscript(path[-1][1][0])}] = {written(source)}"]
    for kernel, args, options in path[-1:]:
        expression = kernel.spelled((Named(expression), *args), options)
    return [*lines, f"{expression}[...] = {written(source)}"]


def _commented(body: list[Line]) -> Iterator[Line]:
    """The lines, and above the first of those that are for one line of the program, that line."""
    last = ""
    for line, operation in body:
        origin = NOWHERE if operation is None else operation.origin
        says = f"# line {origin.line}{', backward' * origin.backward}: {origin.text}" if origin.line else ""
        if says and says != last:
            yield INDENT + line[: len(line) - len(line.lstrip())] + says, None
            last = says
        yield INDENT + line, operation
