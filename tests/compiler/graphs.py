"""Graphs written by hand, and a plain way to compute them, to hold the passes to."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from autograd_lab.compiler.graph import Constant, Graph, Operation, Value, exchanged
from autograd_lab.compiler.kernel import METHODS, Kernel, of_ufunc

F32 = np.dtype(np.float32)


class Sheet:
    """Writes a graph down line by line; each line is computed at once, to know its shape."""

    def __init__(self, *shapes: tuple[int, ...], dtype: Any = F32) -> None:
        self.inputs = tuple(value_of(f"x{at}", np.ones(shape, dtype)) for at, shape in enumerate(shapes))
        self.operations: list[Operation] = []
        self.known: dict[Value, Any] = {
            one: np.linspace(0.25, 2, one.size, dtype=dtype).reshape(one.shape) for one in self.inputs
        }

    def put(self, kernel: Kernel, *args: Any, **options: Any) -> Value:
        with np.errstate(all="ignore"):
            made = kernel.run(*exchanged(args, self.array_of), **options)
        if any(np.may_share_memory(made, self.array_of(one)) for one in args[:1] if isinstance(one, Value)):
            kernel = replace(kernel, view=True)
        value = value_of(f"t{len(self.operations)}", np.asarray(made))
        self.known[value] = np.asarray(made)
        self.operations.append(Operation(kernel, args, (value,), tuple(options.items())))
        return value

    def array_of(self, value: Value) -> Any:
        return value.array if isinstance(value, Constant) else self.known[value]

    def graph(self, *outputs: Value | None) -> Graph:
        return Graph(self.inputs, tuple(self.operations), outputs)


def value_of(name: str, array: Any) -> Value:
    return Value(name, array.shape, array.dtype, array.strides)


NUMBER = itertools.count()


def constant(number: Any, dtype: Any = F32) -> Constant:
    return Constant(f"c{next(NUMBER)}", np.asarray(number, dtype))


def computed(graph: Graph, arrays: list[Any]) -> list[Any]:
    """What a graph gives, by running one operation after the other."""
    known: dict[Value, Any] = dict(zip(graph.inputs, arrays, strict=True))

    def real(value: Value) -> Any:
        return value.array if isinstance(value, Constant) else known[value]

    for operation in graph.operations:
        for each in operation.body or (operation,):
            args, options = exchanged((each.args, each.options), real)
            made = each.kernel.run(*args, **dict(options))
            known |= dict(zip(each.results, made if len(each.results) > 1 else [made], strict=True))
    return [None if one is None else np.asarray(real(one)) for one in graph.outputs]


def names(graph: Graph) -> list[str]:
    return [each.kernel.name for each in graph.operations]


ADD, SUBTRACT, MULTIPLY, DIVIDE = (of_ufunc(one) for one in (np.add, np.subtract, np.multiply, np.divide))
NEGATIVE, EXP, MAXIMUM = (of_ufunc(one) for one in (np.negative, np.exp, np.maximum))
SUM = of_ufunc(np.add, "reduce")
DOT, RESHAPE = METHODS["dot"], METHODS["reshape"]
BROADCAST = Kernel("broadcast_to", np.broadcast_to)
