"""Algebra: what can be had for less. Each rule is a function of an operation and of who made its operands.

A rule gives a value that is there already, or another operation for the same result, with words for why, if any. The
same are the same bits, also those of a NaN: x + (-y) is no x - y, since the sign of a NaN in y would be another one.
Signalling NaNs, which no arithmetic makes, are not counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from autograd_lab.compiler.graph import Constant, Graph, Operation, Value
from autograd_lab.compiler.kernel import METHODS, of_ufunc

Makers = dict[Value, Operation]
Found = tuple[Value | Operation, str] | None
Rule = Callable[[Operation, Makers], Found]

NEUTRAL = {"multiply": 1, "divide": 1, "subtract": 0}
"""Second operands that change nothing, not even a sign: x + 0 is not x if x is -0, and x ** 1 may be another NaN."""
VIEWS_THAT_LOOK_ANEW = {"reshape", "expand_dims", "broadcast_to"}


def algebra(graph: Graph) -> tuple[Graph, dict[Value, str]]:
    """The graph with each rule applied to each operation, as often as there is something to do."""
    known: dict[Value, Value] = {}
    makers: Makers = {}
    notes: dict[Value, str] = {}
    kept = []

    def current(value: Value) -> Value:
        return known.get(value, value)

    for each in graph.operations:
        each = each.taking(current)
        found = _simplified(each, makers)
        while found is not None:
            if found[1]:
                notes[each.result] = found[1]
            if isinstance(found[0], Value):
                known[each.result] = found[0]
                break
            each = found[0]
            found = _simplified(each, makers)
        else:
            makers |= dict.fromkeys(each.results, each)
            kept.append(each)
    outputs = tuple(None if one is None else current(one) for one in graph.outputs)
    return Graph(graph.inputs, tuple(kept), outputs), notes


def _simplified(operation: Operation, makers: Makers) -> Found:
    if len(operation.results) != 1 or operation.kernel.opaque or not operation.kernel.pure:
        return None
    return next((found for rule in RULES if (found := rule(operation, makers)) is not None), None)


def _made_by(thing: Any, name: str, makers: Makers) -> Operation | None:
    """The operation that made an operand, if it is of that kind."""
    maker = makers.get(thing) if isinstance(thing, Value) else None
    return maker if maker is not None and maker.kernel.name == name else None


def _alike(value: Value, result: Value) -> bool:
    return (value.shape, value.dtype, value.strides) == (result.shape, result.dtype, result.strides)


def copied(operation: Operation, makers: Makers) -> Found:
    """A copy of what nobody writes to, a cast to the dtype that there is already, a view of all there is."""
    source = operation.args[0] if operation.args else None
    name = operation.kernel.name
    if name not in ("copy", "astype", "view", "transpose", "swapaxes", *VIEWS_THAT_LOOK_ANEW):
        return None
    turned = name in ("transpose", "swapaxes") and len(operation.result.shape) > 1
    if turned or not isinstance(source, Value) or not _alike(source, operation.result):
        return None
    return source, f"{source} is that already"


def neutral(operation: Operation, _: Makers) -> Found:
    """x * 1, x / 1, x - 0."""
    name, args = operation.kernel.name, operation.args
    pairs = [args, args[::-1]] if name == "multiply" else [args]
    for x, k in pairs if name in NEUTRAL and len(args) == 2 else []:
        number = _number(k)
        if isinstance(x, Value) and _alike(x, operation.result) and number == NEUTRAL[name] and str(number) != "-0.0":
            return x, f"that leaves {x} as it is"
    return None


def _number(argument: Any) -> float | None:
    """The number that an argument is, if it is one."""
    if isinstance(argument, Constant) and not argument.shape and argument.dtype.kind in "fiu":
        return float(argument.array)
    return float(argument) if isinstance(argument, int | float) else None


def twice(operation: Operation, makers: Makers) -> Found:
    """-(-x) is x; the transpose of a transpose is what there was before."""
    name = operation.kernel.name
    inner = _made_by(operation.args[0], name, makers) if operation.args else None
    source = None if inner is None else inner.args[0]
    if name not in ("negative", "T") or not isinstance(source, Value) or not _alike(source, operation.result):
        return None
    return source, f"{name} of {name} is {source}"


def _of(operation: Operation, ufunc: np.ufunc, *args: Any) -> Operation:
    return replace(operation, kernel=of_ufunc(ufunc), args=args)


def reciprocals(operation: Operation, _: Makers) -> Found:
    """x / k is x * (1 / k) where k is a power of two, so that 1 / k is exact; a product costs less than a quotient."""
    if operation.kernel.name != "divide" or len(operation.args) != 2 or operation.result.dtype.kind != "f":
        return None
    x, k = operation.args
    number = _number(k)
    if number is None or not number or not math.isfinite(number) or abs(math.frexp(number)[0]) != 0.5 or number == 1:
        return None
    inverse = np.asarray(1 / number, operation.result.dtype)
    if not np.isfinite(inverse) or abs(inverse) < np.finfo(inverse.dtype).tiny or not isinstance(x, Value):
        return None
    return _of(operation, np.multiply, x, Constant(f"k_{operation.result}", inverse)), "a product costs less"


def numbers(operation: Operation, _: Makers) -> Found:
    """A Python number becomes an array of the dtype that numpy would take it for, once and not in each run."""
    args = operation.args
    if not operation.kernel.elementwise or operation.kernel.form != "call" or len(args) != 2:
        return None
    for at, (number, other) in enumerate([args, args[::-1]]):
        if type(number) in (int, float) and isinstance(other, Value) and other.dtype.kind == "f":
            constant = Constant(f"k{at}_{operation.result}", np.asarray(number, other.dtype))
            exchanged = (constant, other) if at == 0 else (other, constant)
            return replace(operation, args=exchanged), ""
    return None


def repeated(operation: Operation, makers: Makers) -> Found:
    """An operand that was broadcast to the shape of another one need not be: numpy does so by itself."""
    if not operation.kernel.elementwise or operation.kernel.form != "call":
        return None
    shape = operation.result.shape
    full = any(
        isinstance(one, Value) and one.shape == shape and not _made_by(one, "broadcast_to", makers)
        for one in operation.args
    )
    args = tuple(_source(one, makers) if full else one for one in operation.args)
    if args == operation.args:
        return None
    return replace(operation, args=args), "numpy repeats operands itself"


def _source(thing: Any, makers: Makers) -> Any:
    maker = _made_by(thing, "broadcast_to", makers)
    return thing if maker is None else maker.args[0]


def reshaped(operation: Operation, makers: Makers) -> Found:
    """A shape of a shape is the last shape."""
    inner = _made_by(operation.args[0], "reshape", makers) if operation.args else None
    if operation.kernel.name != "reshape" or inner is None or operation.options or inner.options:
        return None
    source = inner.args[0]
    if not source.is_dense:
        return None
    return replace(operation, kernel=replace(METHODS["reshape"], view=True), args=(source, operation.result.shape)), (
        "a shape of a shape is the last shape"
    )


RULES: list[Rule] = [copied, neutral, twice, reciprocals, numbers, repeated, reshaped]
