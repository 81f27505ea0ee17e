"""Constant folding: what depends on no input is computed now, once for all runs."""

from __future__ import annotations

import numpy as np

from autograd_lab.compiler.graph import Constant, Graph, Operation, Value, exchanged
from autograd_lab.compiler.kernel import CHECK

MOST_BYTES = 2**20
"""A larger result is computed in each run rather than kept for ever."""


def constants(graph: Graph) -> tuple[Graph, dict[Value, str]]:
    """The graph with constants in the place of operations that have none but constant operands."""
    known: dict[Value, Value] = {}

    def current(value: Value) -> Value:
        return known.get(value, value)

    for operation in graph.operations:
        each = operation.taking(current)
        if _is_folded(each):
            known |= _computed(each)
    left = [one for one in graph.operations if known.keys().isdisjoint(one.results) and not _is_settled(one, known)]
    return graph.with_operations(left).rewritten(known), dict.fromkeys(known, "the same in each run")


def _is_folded(operation: Operation) -> bool:
    small = sum(value.nbytes for value in operation.results) <= MOST_BYTES
    plain = operation.kernel.pure and not operation.kernel.opaque and bool(operation.results)
    return plain and small and all(isinstance(value, Constant) for value in operation.operands)


def _is_settled(operation: Operation, known: dict[Value, Value]) -> bool:
    """Whether a check is of a value that is always the same."""
    return operation.kernel is CHECK and operation.args[0] in known


def _computed(operation: Operation) -> dict[Value, Value]:
    args, options = exchanged((operation.args, operation.options), lambda value: value.array)
    with np.errstate(all="ignore"):
        made = operation.kernel.run(*args, **dict(options))
    arrays = list(made) if isinstance(made, tuple | list) else [made]
    return {
        value: Constant(value.name, np.asarray(array)) for value, array in zip(operation.results, arrays, strict=True)
    }
