"""Common subexpressions: what is computed twice from the same is computed once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from autograd_lab.compiler.graph import Constant, Graph, Operation, Value


def duplicates(graph: Graph) -> tuple[Graph, dict[Value, str]]:
    """The graph with one operation for all that do the same to the same values; constants are the same by bits."""
    first: dict[Hashable, tuple[Value, ...]] = {}
    same: dict[Value, Value] = {}
    gone = []
    for each in graph.operations:
        key = _key(each, same)
        if key is None:
            continue
        known = first.setdefault(key, each.results)
        if known is not each.results:
            same |= dict(zip(each.results, known, strict=True))
            gone.append(each)
    return graph.rewritten(same, gone), {value: f"the same as {known}" for value, known in same.items()}


def _key(operation: Operation, same: dict[Value, Value]) -> Hashable | None:
    """What two operations that do the same have in common; None for one that is like no other."""
    kernel = operation.kernel
    if not kernel.pure or kernel.opaque or operation.body:
        return None
    return kernel.name, kernel.form, _form(operation.args, same), _form(operation.options, same)


def _form(argument: Any, same: dict[Value, Value]) -> Hashable:
    if isinstance(argument, Constant):
        return "constant", argument.kind, argument.array.tobytes()
    if isinstance(argument, Value):
        return same.get(argument, argument)
    if isinstance(argument, tuple | list):
        return type(argument), tuple(_form(one, same) for one in argument)
    if isinstance(argument, slice):
        return "slice", _form((argument.start, argument.stop, argument.step), same)
    if isinstance(argument, float):
        return "float", np.float64(argument).tobytes()  # 0.0 is equal to -0.0
    return type(argument), argument if isinstance(argument, Hashable) else id(argument)
